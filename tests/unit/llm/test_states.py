"""States of papers, in memory and on disk, under limits."""

import os
import threading

import pytest

from rag.llm.states import StateCache


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "states"


def files(folder):
    return {path.name for path in folder.glob("*.state")}


def test_a_state_comes_back_as_it_was_put():
    cache = StateCache(100, None, 0)
    cache.put("a", b"state")
    assert cache.get("a") == b"state"
    assert cache.get("b") is None
    assert cache.memory_used() == 5


def test_the_least_recently_used_state_leaves_memory_first():
    cache = StateCache(10, None, 0)
    cache.put("a", b"12345")
    cache.put("b", b"12345")
    cache.get("a")
    cache.put("c", b"12345")
    assert [cache.get(key) is not None for key in "abc"] == [True, False, True]
    assert cache.memory_used() == 10


def test_putting_a_state_again_does_not_count_it_twice():
    cache = StateCache(10, None, 0)
    cache.put("a", b"123456")
    cache.put("a", b"1234")
    assert (cache.get("a"), cache.memory_used()) == (b"1234", 4)


def test_a_state_larger_than_the_memory_is_kept_on_disk_alone(folder):
    cache = StateCache(3, folder, 1000)
    cache.put("a", b"12345")
    assert cache.memory_used() == 0
    assert cache.get("a") == b"12345"


def test_states_outlive_the_program(folder):
    StateCache(100, folder, 1000).put("a", b"state")
    later = StateCache(100, folder, 1000)
    assert later.holds("a")
    assert later.get("a") == b"state"


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: data[:10],
        lambda data: b"",
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
        lambda data: bytes([data[0] ^ 1]) + data[1:],
    ],
    ids=["cut", "short", "empty", "state changed", "checksum changed"],
)
def test_a_damaged_file_counts_as_absent_and_is_removed(folder, damage):
    StateCache(100, folder, 1000).put("a", b"state")
    path = folder / "a.state"
    path.write_bytes(damage(path.read_bytes()))
    cache = StateCache(100, folder, 1000)
    assert cache.get("a") is None
    assert files(folder) == set()


def test_a_file_under_another_papers_name_is_not_trusted(folder):
    StateCache(100, folder, 1000).put("a", b"state")
    (folder / "a.state").rename(folder / "b.state")
    assert StateCache(100, folder, 1000).get("b") is None


def test_the_disk_keeps_its_limit_and_drops_the_least_recently_used(folder):
    probe = StateCache(0, folder, 10_000)
    probe.put("a", b"x" * 100)
    one = (folder / "a.state").stat().st_size
    cache = StateCache(0, folder, 2 * one + 1)
    cache.put("b", b"x" * 100)
    os.utime(folder / "a.state", (1, 1))
    os.utime(folder / "b.state", (2, 2))
    cache.get("a")
    cache.put("c", b"x" * 100)
    assert files(folder) == {"a.state", "c.state"}


def test_a_disk_limit_of_nothing_writes_nothing(folder):
    cache = StateCache(100, folder, 0)
    cache.put("a", b"state")
    assert cache.get("a") == b"state"
    assert not folder.exists()


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    cache = StateCache(100, tmp_path / "file" / "states", 1000)
    cache.put("a", b"state")
    assert cache.get("a") == b"state"
    assert StateCache(100, tmp_path / "file" / "states", 1000).get("a") is None


def test_a_dropped_state_is_gone_from_memory_and_disk(folder):
    cache = StateCache(100, folder, 1000)
    cache.put("a", b"state")
    cache.drop("a")
    assert cache.get("a") is None
    assert not cache.holds("a")
    assert (cache.memory_used(), files(folder)) == (0, set())


def test_a_state_made_ahead_stays_out_of_memory_where_the_disk_has_it(folder):
    cache = StateCache(100, folder, 1000)
    cache.put("a", b"state", ahead=True)
    assert cache.memory_used() == 0
    assert cache.get("a") == b"state"
    kept = StateCache(100, None, 0)
    kept.put("a", b"state", ahead=True)
    assert kept.get("a") == b"state"


def test_there_is_room_until_another_state_would_push_one_out(folder):
    cache = StateCache(0, folder, 400)
    assert cache.has_room()
    cache.put("a", b"x" * 100)
    assert cache.has_room()
    cache.put("b", b"x" * 100)
    assert not cache.has_room()
    assert files(folder) == {"a.state", "b.state"}


def test_where_nothing_can_be_written_the_room_is_that_of_memory(tmp_path):
    (tmp_path / "file").write_text("in the way")
    cache = StateCache(10, tmp_path / "file" / "states", 1000)
    cache.put("a", b"123456")
    assert not cache.has_room()
    assert StateCache(12, tmp_path / "file" / "states", 1000).has_room()


def test_a_file_that_another_program_takes_away_does_not_stop_a_write(folder):
    cache = StateCache(0, folder, 1000)
    cache.put("a", b"state")
    (folder / "gone.state").symlink_to(folder / "nowhere")
    cache.put("b", b"state")
    assert cache.get("b") == b"state"


def test_files_of_others_in_the_folder_are_left_alone(folder):
    folder.mkdir()
    (folder / "notes.txt").write_text("x" * 500)
    cache = StateCache(0, folder, 200)
    cache.put("a", b"x" * 100)
    cache.put("b", b"x" * 100)
    assert files(folder) == {"b.state"}
    assert (folder / "notes.txt").exists()


def test_two_programs_that_share_a_folder_read_only_whole_states(folder):
    states = {str(n): bytes([n]) * 20_000 for n in range(8)}
    caches = [StateCache(0, folder, 100_000) for _ in range(4)]
    wrong = []

    def use(cache):
        for key, state in list(states.items()) * 5:
            cache.put(key, state)
            found = cache.get(key)
            if found not in (None, state):
                wrong.append(key)

    threads = [threading.Thread(target=use, args=(cache,)) for cache in caches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert wrong == []
    assert not list(folder.glob("*.part"))
    assert files(folder)


def test_no_unfinished_file_is_left_behind(folder):
    cache = StateCache(100, folder, 1000)
    for n in range(3):
        cache.put(str(n), b"state")
    assert not list(folder.glob("*.part"))
