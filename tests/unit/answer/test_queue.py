"""Questions are served first come, first served, and a place is always given back."""

import threading
import time

from rag.answer.queue import Queue


def test_the_first_question_is_served_without_waiting():
    queue = Queue()
    with queue.join() as ticket:
        assert list(queue.wait(ticket, None)) == []
        assert queue.waiting() == 1
    assert queue.waiting() == 0


def test_a_waiting_question_is_told_its_place_each_time_it_changes():
    queue = Queue()
    first, second = queue.join(), queue.join()
    first.__enter__()
    second.__enter__()
    with queue.join() as third:
        places = queue.wait(third, None)
        assert next(places) == 2
        first.__exit__(None, None, None)
        assert next(places) == 1
        second.__exit__(None, None, None)
        assert list(places) == []


def test_questions_are_served_in_the_order_they_came():
    queue, served = Queue(), []

    def ask(name):
        with queue.join() as ticket:
            joined.set()
            for _ in queue.wait(ticket, None):
                pass
            served.append(name)

    threads = []
    with queue.join():
        for name in range(5):
            joined = threading.Event()
            threads.append(threading.Thread(target=ask, args=(name,)))
            threads[-1].start()
            assert joined.wait(10)
    for thread in threads:
        thread.join(10)
    assert served == [0, 1, 2, 3, 4]


def test_a_question_that_is_stopped_while_waiting_leaves_the_queue():
    queue, stop = Queue(), threading.Event()
    with queue.join():
        with queue.join() as ticket:
            places = queue.wait(ticket, stop)
            assert next(places) == 1
            stop.set()
            started = time.monotonic()
            assert list(places) == []
            assert time.monotonic() - started < 5
        assert queue.waiting() == 1


def test_a_generator_that_is_abandoned_frees_its_place():
    queue = Queue()

    def turn():
        with queue.join() as ticket:
            yield from queue.wait(ticket, None)
            yield "answer"
            yield "never asked for"

    first = turn()
    assert next(first) == "answer"
    second = turn()
    assert next(second) == 1
    first.close()
    assert next(second) == "answer"


def test_an_error_in_a_turn_frees_its_place():
    queue = Queue()
    try:
        with queue.join():
            raise RuntimeError("broken")
    except RuntimeError:
        pass
    assert queue.waiting() == 0
