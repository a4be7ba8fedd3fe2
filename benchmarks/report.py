"""Results of a benchmark: shown as tables, kept as JSON, and filled into docs/benchmarks.md."""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path

from rag.llm.build import cpu_features

HERE = Path(__file__).parent
RESULTS = HERE / "results"
PAGE = HERE.parent / "docs" / "benchmarks.md"

_PLACE = re.compile(r"(<!-- results: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_CLASSES = (("amx_tile", "AMX"), ("avx512f", "AVX-512"), ("avx2", "AVX2"), ("neon", "NEON"))


@dataclass(frozen=True, slots=True)
class Result:
    """One table with what it takes to repeat it. `figures` are the same numbers, unformatted."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    settings: Mapping[str, str]
    figures: Mapping[str, object] = field(default_factory=dict)
    day: str = field(default_factory=lambda: date.today().isoformat())
    machine: str = field(default_factory=lambda: machine())


def share(part: float, whole: float) -> str:
    """A count with its percentage: `3/4 (75%)`; evidence scored by coverage may be broken."""
    return f"{part:g}/{whole:g} ({part / whole:.0%})" if whole else "-"


def machine() -> str:
    """Cores, the widest vector instructions, system and Python."""
    info = Path("/proc/cpuinfo")
    found = cpu_features(info.read_text()) if info.exists() else frozenset[str]()
    widest = next((label for flag, label in _CLASSES if flag in found), platform.machine())
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return f"{os.cpu_count()} cores with {widest}, {system}"


def markdown(result: Result) -> str:
    """The table with its title above and its settings below."""
    settings = "; ".join(f"{name}: {value}" for name, value in result.settings.items())
    lines = [f"**{result.title}**", "", _line(result.columns), _line(["---"] * len(result.columns))]
    lines += [_line(row) for row in result.rows]
    return "\n".join([*lines, "", f"Measured on {result.day}, {result.machine}. {settings}.", ""])


def publish(result: Result, *, keep: bool = True) -> None:
    """Print a result; keep it as JSON and put it into the page of benchmarks, if asked."""
    print(markdown(result), flush=True)
    if not keep:
        return
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(asdict(result), indent=1, ensure_ascii=False)
    (RESULTS / f"{result.name}.json").write_text(text + "\n", encoding="utf-8")
    fill_page()


def fill_page() -> None:
    """Write each kept result to its place in docs/benchmarks.md; other text is left alone."""
    kept = {path.stem: path for path in RESULTS.glob("*.json")}

    def put(match: re.Match[str]) -> str:
        if match[2] not in kept:
            return match[0]
        return match[1] + markdown(_load(kept[match[2]])) + match[3]

    PAGE.write_text(_PLACE.sub(put, PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def _load(path: Path) -> Result:
    values = json.loads(path.read_text(encoding="utf-8"))
    values["rows"] = [tuple(row) for row in values["rows"]]
    return Result(**values)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
