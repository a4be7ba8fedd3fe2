"""The costs of steps are measured once, and read from then on."""

import pytest

from rag.llm.pace import PLAIN, WIDTHS, pace

SECONDS = {1: 0.1, 2: 0.14, 4: 0.24, 8: 0.5}
COSTS = {1: 1.0, 2: 1.4, 4: 2.4, 8: 5.0}


def never(width):
    raise AssertionError("measured again")


def test_costs_are_relative_to_one_token(tmp_path):
    assert pace(None, SECONDS.__getitem__) == COSTS


def test_what_was_measured_is_read_from_then_on(tmp_path):
    file = tmp_path / "paces" / "a.json"
    assert pace(file, SECONDS.__getitem__) == COSTS
    assert pace(file, never) == COSTS
    assert not list(file.parent.glob("*.part"))


def test_a_step_that_was_disturbed_does_not_count():
    disturbed = iter([9.0] * len(WIDTHS))
    assert pace(None, lambda width: next(disturbed, SECONDS[width])) == COSTS


@pytest.mark.parametrize(
    "seconds",
    [{**SECONDS, 2: 0.3}, {**SECONDS, 4: 0.12}, {**SECONDS, 1: 0.2}, {**SECONDS, 8: 2.0}],
    ids=["2 dearer than 4", "4 cheaper than 2", "1 dearer than 2", "8 dearer than eight times 1"],
)
def test_a_measurement_that_cannot_be_right_is_neither_used_nor_kept(tmp_path, seconds):
    file = tmp_path / "a.json"
    assert pace(file, seconds.__getitem__) == PLAIN
    assert not file.exists()
    assert pace(file, SECONDS.__getitem__) == COSTS


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"1": 1.0}', '{"1": 1, "2": 0, "4": 2, "8": 3}', '{"a": 1}']
)
def test_a_damaged_file_is_measured_anew(tmp_path, text):
    file = tmp_path / "a.json"
    file.write_text(text)
    assert pace(file, SECONDS.__getitem__) == COSTS
    assert pace(file, never) == COSTS


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert pace(tmp_path / "file" / "a.json", SECONDS.__getitem__) == COSTS
