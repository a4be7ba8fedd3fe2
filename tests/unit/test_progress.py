import io
import sys

from rag.commands.common import progress_bar
from rag.library import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_shows_how_many_papers_are_done_the_rate_and_the_time_left(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress_bar() as show:
        show(Progress(256, 1000))
        show(Progress(1000, 1000))
    assert "1000/1000" in sys.stderr.getvalue()
    assert "papers/s" in sys.stderr.getvalue()
    assert capsys.readouterr().out == ""


def test_away_from_a_terminal_nothing_is_shown(capsys):
    with progress_bar() as show:
        assert show is None
    assert capsys.readouterr().err == ""
