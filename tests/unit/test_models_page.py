"""models.md says of each model what the catalogue says."""

from pathlib import Path

import pytest

from rag.llm.catalogue import CATALOGUE

PAGE = (Path(__file__).parents[2] / "models.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.name)
def test_name_size_licence_and_judging_stand_in_the_table(entry):
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{entry.name}` | "))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    judges = {True: "yes", False: "no"}[entry.can_judge] if entry.kind == "chat" else ""
    assert cells[1:5] == [entry.kind, f"{entry.size / 1e6:,.0f} MB", entry.licence, judges]


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.name)
def test_the_checksum_stands_beside_the_name(entry):
    assert any(entry.name in line and entry.weights.sha256 in line for line in PAGE.splitlines())
