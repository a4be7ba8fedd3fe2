"""The parts of the GGUF adapter that need no model."""

import dataclasses
import threading

import pytest

from rag.errors import ModelDamaged, ModelMissing
from rag.llm.gguf import FairLock, open_model, physical_cores


def test_the_lock_is_given_in_the_order_threads_came():
    lock, served, threads = FairLock(), [], []

    def take(name):
        with lock.hold():
            served.append(name)

    with lock.hold():
        for name in range(6):
            threads.append(threading.Thread(target=take, args=(name,)))
            threads[-1].start()
            while len(lock._waiting) < name + 2:
                pass
    for thread in threads:
        thread.join(10)
    assert served == [0, 1, 2, 3, 4, 5]


def test_the_lock_is_held_by_one_thread_at_a_time():
    lock, inside, most = FairLock(), [], []

    def take():
        for _ in range(50):
            with lock.hold():
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(most) == 200
    assert max(most) == 1


def test_an_error_under_the_lock_gives_it_back():
    lock = FairLock()
    with pytest.raises(ValueError, match="broken"), lock.hold():
        raise ValueError("broken")
    with lock.hold():
        assert True


def test_at_least_one_core_is_used():
    assert physical_cores() >= 1


def test_a_model_that_is_not_there_is_named_with_what_to_do(config):
    with pytest.raises(ModelMissing, match=r"qwen.*citewell models pull"):
        open_model(config)


def test_a_git_lfs_pointer_is_told_from_a_model(config, tmp_path):
    path = tmp_path / "model.gguf"
    path.write_text(
        f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 98362432\n"
    )
    assert 100 < path.stat().st_size < 140
    with pytest.raises(ModelDamaged, match=r"model\.gguf") as raised:
        open_model(dataclasses.replace(config, model=str(path)))
    message = str(raised.value)
    assert str(path.stat().st_size) in message
    assert "pointer" in message


def test_a_text_file_is_no_model(config, tmp_path):
    path = tmp_path / "model.gguf"
    path.write_text("hello " * 20)
    with pytest.raises(ModelDamaged, match=r"120"):
        open_model(dataclasses.replace(config, model=str(path)))
