"""Builds llama-cpp-python for this CPU, keeps the wheel, and proves that it runs.

`python -m rag.llm.build` needs nothing but Python, pip and a C++ compiler. The wheel is
kept under a key of version, flags, CPU features and Python, because pip's own cache knows
none of them and a native build must not travel to another CPU.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

VERSION = "0.3.36"
_REQUIREMENT = f"llama-cpp-python=={VERSION}"
_STEP = re.compile(r"\[(\d+)/(\d+)\]")
_CRASHED = "crashed.txt"
# Those that a compiler builds for; the others (bugs, timers, virtualisation) come and go.
_INSTRUCTIONS = re.compile(
    r"s?sse|avx|amx|fma|f16c|bmi|abm|popcnt|aes|sha|vaes|vpclmul|gfni|neon|asimd|sve|sme|i8mm|bf16"
)

# Run in a process of its own: an illegal instruction cannot be caught.
_SMOKE = """
import sys, llama_cpp
llama_cpp.llama_backend_init()
print(llama_cpp.llama_print_system_info().decode())
if len(sys.argv) > 1:
    model = llama_cpp.Llama(sys.argv[1], n_ctx=256, n_batch=64, verbose=False)
    model.create_completion("One, two, three, four, five, six, seven, eight,", max_tokens=4)
"""


class BuildError(Exception):
    """The build or its test failed; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Smoke:
    """Whether the installed build runs here, and what it or the system said."""

    works: bool
    text: str


@dataclass(frozen=True, slots=True)
class Recipe:
    """One way to build, as arguments of CMake."""

    cmake: str
    features: frozenset[str]

    @property
    def key(self) -> str:
        """Names the folder of the wheel; differs wherever the binary might."""
        parts = [*sorted(self.features), platform.machine(), self.cmake]
        digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]
        return f"llama-cpp-python-{VERSION}-{sys.implementation.cache_tag}-{digest}"


def cpu_features(cpuinfo: str) -> frozenset[str]:
    """The instruction sets among the flags of Linux's /proc/cpuinfo; empty elsewhere."""
    found = re.search(r"^(?:flags|Features)\s*:\s*(.*)$", cpuinfo, re.MULTILINE)
    return frozenset(filter(_INSTRUCTIONS.match, found[1].split() if found else ()))


def recipes(features: frozenset[str], extra: str = "") -> tuple[Recipe, Recipe]:
    """The build to try first, and the one to fall back to when that crashes.

    `extra` is what the user put into CMAKE_ARGS, such as a GPU switch.
    """
    native = "-DGGML_NATIVE=ON"
    if any(name.startswith("amx") for name in features):
        # GCC 12 drops the stores of the AMX tile configuration as dead, and the build dies
        # of an illegal instruction (llama.cpp pull request 26954).
        native += " -DCMAKE_CXX_FLAGS='-fno-tree-dse -fno-dse'"
    plain = "-DGGML_NATIVE=OFF" + "".join(
        f" -DGGML_{name.upper()}={'ON' if name in features else 'OFF'}"
        for name in ("avx", "avx2", "fma", "f16c")
    )
    return Recipe(f"{native} {extra}".strip(), features), Recipe(
        f"{plain} {extra}".strip(), features
    )


def smoke(model: Path | None = None) -> Smoke:
    """Load the installed library in a child process; with a model, write four tokens."""
    command = [sys.executable, "-c", _SMOKE, *([str(model)] if model else [])]
    # Threads that spin at barriers make seconds of milliseconds when the cores are busy.
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode == 0:
        return Smoke(True, done.stdout.strip())
    if done.returncode < 0:
        return Smoke(False, f"it died of signal {-done.returncode} ({_signal(-done.returncode)})")
    lines = done.stderr.strip().splitlines()
    return Smoke(False, lines[-1] if lines else f"it ended with code {done.returncode}")


def ensure(wheels: Path, model: Path | None = None) -> Smoke:
    """Install a build that runs here, made now or kept from before.

    Raises BuildError with what to do when neither recipe gives one.
    """
    answers = []
    for recipe in recipes(_features(), os.environ.get("CMAKE_ARGS", "")):
        folder = wheels / recipe.key
        crashed = folder / _CRASHED
        if crashed.is_file():
            answers.append(f"{recipe.cmake}: {crashed.read_text()}")
            continue
        _install(_kept(folder) or _build(recipe, folder))
        result = smoke(model)
        if result.works:
            return result
        _say(f"The build with {recipe.cmake} does not run here: {result.text}")
        crashed.write_text(result.text)
        answers.append(f"{recipe.cmake}: {result.text}")
    raise BuildError(_advice(answers, wheels))


def _features() -> frozenset[str]:
    info = Path("/proc/cpuinfo")
    return cpu_features(info.read_text() if info.is_file() else "")


def _signal(number: int) -> str:
    names = {4: "illegal instruction", 6: "abort", 9: "killed, perhaps for memory", 11: "fault"}
    return names.get(number, "see `man 7 signal`")


def _advice(answers: Sequence[str], wheels: Path) -> str:
    tried = "\n".join(f"  {answer}" for answer in answers)
    return (
        f"No build of {_REQUIREMENT} runs on this machine:\n{tried}\n"
        "Set CMAKE_ARGS to flags that suit this CPU (such as -DGGML_AVX512=OFF), or use "
        f"another compiler (CC=clang CXX=clang++), then delete {wheels} and run this again."
    )


def _kept(folder: Path) -> Path | None:
    return next(iter(sorted(folder.glob("*.whl"))), None)


def _build(recipe: Recipe, folder: Path) -> Path:
    _require_compiler()
    folder.mkdir(parents=True, exist_ok=True)
    _say(f"Building {_REQUIREMENT} with {recipe.cmake}; this takes 5 to 15 minutes once.")
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        _run_pip_wheel(recipe, Path(scratch), folder / "build.log")
        made = _kept(Path(scratch))
        if made is None:
            raise BuildError(f"pip made no wheel; {folder / 'build.log'} says why.")
        return made.replace(folder / made.name)


def _require_compiler() -> None:
    if os.name == "nt" or os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++"):
        return
    raise BuildError(
        "llama-cpp-python is built here and needs a C++ compiler. Install one "
        "(Debian and Ubuntu: apt-get install build-essential; macOS: xcode-select --install) "
        "and run this again."
    )


def _pip_wheel_command(target: Path) -> list[str]:
    command = [sys.executable, "-m", "pip", "wheel", "--verbose", "--no-cache-dir", "--no-deps"]
    command += ["--disable-pip-version-check", "--no-binary", "llama-cpp-python"]
    return [*command, "--wheel-dir", str(target), _REQUIREMENT]


def _run_pip_wheel(recipe: Recipe, target: Path, log: Path) -> None:
    child = subprocess.Popen(
        _pip_wheel_command(target),
        env={**os.environ, "CMAKE_ARGS": recipe.cmake},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    with child, log.open("w", encoding="utf-8") as kept:
        kept.writelines(_progress(child.stdout or ()))
    if child.returncode:
        tail = "\n".join(log.read_text(encoding="utf-8").splitlines()[-15:])
        raise BuildError(f"The build failed; {log} has all of it. It ends:\n{tail}")


def _progress(lines: Iterable[str]) -> Iterator[str]:
    tenths = 0
    for line in lines:
        found = _STEP.search(line)
        if found and int(found[1]) * 10 // int(found[2]) > tenths:
            tenths = int(found[1]) * 10 // int(found[2])
            _say(f"  compiled {tenths}0%")
        yield line


def _install(wheel: Path) -> None:
    if _installed_from(wheel):
        return
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    command += ["--disable-pip-version-check", "--force-reinstall", str(wheel)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(f"pip could not install {wheel}:\n{done.stderr.strip()}")


def _installed_from(wheel: Path) -> bool:
    try:
        origin = importlib.metadata.distribution("llama-cpp-python").read_text("direct_url.json")
    except importlib.metadata.PackageNotFoundError:
        return False
    return wheel.as_uri() in (origin or "")


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def _smallest(models: Path) -> Path | None:
    return min(models.glob("*.gguf"), key=lambda path: path.stat().st_size, default=None)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m rag.llm.build", description=__doc__)
    parser.add_argument("--wheels", type=Path, help="where built wheels are kept")
    parser.add_argument("--model", type=Path, help="a GGUF file to write four tokens with")
    return parser.parse_args()


def main() -> int:
    """Make sure that a working build is installed; the exit code of the command."""
    arguments = _arguments()
    wheels, model = arguments.wheels, arguments.model
    if wheels is None:
        from rag.config import Config

        config = Config.from_environment(os.environ)
        wheels, model = config.wheels_dir, model or _smallest(config.models_dir)
    try:
        result = ensure(wheels.absolute(), model)
    except BuildError as error:
        _say(str(error))
        return 1
    _say(f"llama-cpp-python {VERSION} runs here: {result.text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
