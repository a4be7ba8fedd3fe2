"""The build fits the CPU, is kept, and a build that crashes is replaced."""

import signal
import sys
from pathlib import Path

import pytest

from rag.llm import build
from rag.llm.build import BuildError, Smoke, cpu_features, ensure, recipes

PLAIN = "processor\t: 0\nflags\t\t: fpu sse2 avx avx2 fma f16c hypervisor\n"
AMX = PLAIN.replace("f16c", "f16c amx_tile amx_bf16")


def test_only_instruction_sets_count_as_features():
    assert cpu_features(PLAIN) == {"sse2", "avx", "avx2", "fma", "f16c"}


def test_a_system_without_cpuinfo_has_no_known_features():
    assert cpu_features("") == frozenset()


def test_a_cpu_with_amx_gets_the_flags_that_keep_the_tile_stores():
    native, _ = recipes(cpu_features(AMX))
    assert native.cmake == "-DGGML_NATIVE=ON -DCMAKE_CXX_FLAGS='-fno-tree-dse -fno-dse'"


def test_a_cpu_without_amx_gets_a_plain_native_build():
    native, _ = recipes(cpu_features(PLAIN))
    assert native.cmake == "-DGGML_NATIVE=ON"


def test_the_fallback_uses_only_what_the_cpu_has():
    _, fallback = recipes(cpu_features(PLAIN.replace("avx2", "")))
    assert fallback.cmake == (
        "-DGGML_NATIVE=OFF -DGGML_AVX=ON -DGGML_AVX2=OFF -DGGML_FMA=ON -DGGML_F16C=ON"
    )


def test_flags_of_the_user_are_kept_in_both_recipes():
    assert all("-DGGML_CUDA=ON" in r.cmake for r in recipes(frozenset(), "-DGGML_CUDA=ON"))


def test_the_key_differs_by_cpu_and_by_flags():
    one = recipes(cpu_features(PLAIN))
    other = recipes(cpu_features(AMX))
    assert len({one[0].key, one[1].key, other[0].key, other[1].key}) == 4


def test_a_child_that_dies_of_a_signal_is_reported_not_raised(monkeypatch):
    monkeypatch.setattr(build, "_SMOKE", f"import os; os.kill(os.getpid(), {signal.SIGILL:d})")
    assert build.smoke() == Smoke(False, "it died of signal 4 (illegal instruction)")


def test_a_child_that_raises_is_reported_with_its_last_line(monkeypatch):
    monkeypatch.setattr(build, "_SMOKE", "import no_such_library")
    result = build.smoke()
    assert not result.works
    assert "no_such_library" in result.text


@pytest.fixture
def made(monkeypatch) -> list[str]:
    """Stands for pip: writes an empty wheel; lists the recipes that were built."""
    built: list[str] = []

    def make(recipe: build.Recipe, target: Path, log: Path) -> None:
        built.append(recipe.cmake)
        (target / "llama_cpp_python-0.3.36-py3-none-any.whl").touch()

    monkeypatch.setattr(build, "_run_pip_wheel", make)
    monkeypatch.setattr(build, "_require_compiler", lambda: None)
    monkeypatch.setattr(build, "_install", lambda wheel: None)
    return built


def answers(monkeypatch, *results: Smoke) -> None:
    remaining = iter(results)
    monkeypatch.setattr(build, "smoke", lambda model: next(remaining))


WORKS, DIES = Smoke(True, "AVX2 = 1"), Smoke(False, "it died")


def test_a_kept_wheel_is_not_built_again(made, monkeypatch, tmp_path):
    answers(monkeypatch, WORKS, WORKS)
    ensure(tmp_path)
    ensure(tmp_path)
    assert len(made) == 1


def test_a_crashing_build_gives_way_to_the_fallback_and_is_remembered(made, monkeypatch, tmp_path):
    answers(monkeypatch, DIES, WORKS, WORKS)
    assert ensure(tmp_path).works
    assert ensure(tmp_path).works
    assert [cmake.split()[0] for cmake in made] == ["-DGGML_NATIVE=ON", "-DGGML_NATIVE=OFF"]


def test_when_every_build_crashes_the_message_says_what_to_do(made, monkeypatch, tmp_path):
    answers(monkeypatch, DIES, DIES)
    with pytest.raises(BuildError, match="CMAKE_ARGS"):
        ensure(tmp_path)


def test_a_build_broken_off_leaves_no_wheel(made, monkeypatch, tmp_path):
    def interrupted(recipe: build.Recipe, target: Path, log: Path) -> None:
        (target / "half.whl").touch()
        raise KeyboardInterrupt

    monkeypatch.setattr(build, "_run_pip_wheel", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ensure(tmp_path)
    assert list(tmp_path.rglob("*.whl")) == []


def test_a_machine_without_compiler_is_told_how_to_get_one(monkeypatch, tmp_path):
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(build.shutil, "which", lambda _: None)
    with pytest.raises(BuildError, match="build-essential"):
        ensure(tmp_path)


def test_a_failed_build_shows_the_end_of_its_log(monkeypatch, tmp_path):
    script = "print('compiler says no'); raise SystemExit(1)"
    monkeypatch.setattr(build, "_require_compiler", lambda: None)
    monkeypatch.setattr(build, "_pip_wheel_command", lambda _: [sys.executable, "-c", script])
    with pytest.raises(BuildError, match="compiler says no"):
        ensure(tmp_path)
