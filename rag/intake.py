"""Take files into the record: match what they say now with what they said before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rag.corpus import files, identity
from rag.corpus.files import Found
from rag.corpus.merge import best_text, merge
from rag.corpus.titles import title_of
from rag.index.indexes import OnProgress, Progress
from rag.index.record import Entry, PaperRecord
from rag.types import Record, Skip

_BATCH = 256
_CANDIDATES = 20
_REMOVED = "its paper was removed by you; name the file itself to `citewell index` to bring it back"
_KEPT = "; the papers read from it before are kept"


@dataclass(slots=True)
class Tally:
    """What became of each record so far; `removed` counts papers.

    `blank` names the records that have a title and no abstract, which are kept.
    """

    read: int = 0
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    duplicate: int = 0
    removed: int = 0
    skipped: list[Skip] = field(default_factory=list)
    blank: list[Skip] = field(default_factory=list)


class Intake:
    """Reads files one by one; calls `pause` now and then, for the indexes to catch up."""

    def __init__(self, record: PaperRecord, tally: Tally, pause: Callable[[], None]) -> None:
        self._record = record
        self._tally = tally
        self._pause = pause

    def take(self, found: Found) -> None:
        """Take in one file."""
        digest = files.digest(found.path)
        path = found.kept
        if found.root is None:
            self._revive(found)
        if self._record.file_digest(path) == digest:
            self._repeat(found)
        else:
            self._read(found, digest)

    def expected(self, found: Found) -> int:
        """Return how many records a file will give; a PDF is slow to read and taken for one."""
        if self._record.file_digest(found.kept) == files.digest(found.path):
            skips = self._record.file_skips(found.kept)
            return len(self._record.numbers_of_file(found.kept)) + len(skips)
        if found.path.suffix.lower() == ".pdf":
            return 1
        return sum(1 for _ in files.read(found))

    def _read(self, found: Found, digest: bytes) -> None:
        with self._record.transaction():
            file = self._record.open_file(found.kept, found.shown)
        visit = _Visit(self._record, self._tally, file)
        if visit.expects():
            visit.compare(files.read(found))
        self._stream(visit, files.read(found))
        if not visit.unusable:
            with self._record.transaction():
                visit.finish(digest)
        self._pause()

    def _stream(self, visit: _Visit, records: files.Records) -> None:
        batch: list[Record | Skip] = []
        for record in records:
            batch.append(record)
            if len(batch) == _BATCH:
                self._enter(visit, batch)
                batch = []
        self._enter(visit, batch)

    def _enter(self, visit: _Visit, batch: Sequence[Record | Skip]) -> None:
        with self._record.transaction():
            for record in batch:
                visit.enter(record)
        self._pause()

    def _repeat(self, found: Found) -> None:
        """Account for an unchanged file without reading it."""
        with self._record.transaction():
            self._record.rename_file(found.kept, found.shown)
        numbers = self._record.numbers_of_file(found.kept)
        skips = self._record.file_skips(found.kept)
        self._tally.read += len(numbers) + len(skips)
        for place, number in numbers:
            if number is None:
                self._tally.skipped.append(Skip(found.shown, place, _REMOVED))
            else:
                self._tally.unchanged += 1
        self._tally.skipped += [Skip(found.shown, place, reason) for place, reason in skips]

    def _revive(self, found: Found) -> None:
        """Forget removals in a file that the user names itself, so that it is read again."""
        with self._record.transaction():
            self._record.drop_dismissed(found.kept)

    def drop_missing(self, folders: Sequence[Path], found: Sequence[Found]) -> None:
        """Remove the papers whose only file stood under one of `folders` and is gone.

        Those of a folder that cannot be listed are kept.
        """
        present = {item.kept for item in found}
        closed = [item.kept for item in found if item.closed]
        for file, path in self._record.files():
            hidden = any(path.is_relative_to(folder) for folder in closed)
            if path not in present and not hidden and any(path.is_relative_to(f) for f in folders):
                with self._record.transaction():
                    _Visit(self._record, self._tally, file).withdraw()


class Gauge:
    """Tells how far a run is: of the records to be read, and the papers pending before."""

    def __init__(self, record: PaperRecord, tally: Tally, report: OnProgress | None) -> None:
        self._record = record
        self._tally = tally
        self._report = report
        self._pending = record.count_pending() if report else 0
        self._total = self._pending

    def expect(self, intake: Intake, found: Sequence[Found]) -> None:
        """Count what is to be read; that takes a while, so only where it is told to somebody."""
        if self._report:
            self._total += sum(intake.expected(item) for item in found)

    def tell(self, _: Progress) -> None:
        """Report what is read and known to the indexes."""
        if self._report:
            done = self._pending + self._tally.read - self._record.count_pending()
            self._report(Progress(done, max(done, self._total)))

    def finish(self) -> None:
        """Report the end."""
        if self._report:
            done = self._pending + self._tally.read
            self._report(Progress(done, done))


class _Visit:
    """One reading of one file, against the entries that it had before."""

    def __init__(self, record: PaperRecord, tally: Tally, file: int) -> None:
        self._record = record
        self._tally = tally
        self._file = file
        self._same: dict[bytes, list[tuple[int, int | None]]] = {}
        for entry, digest, number in record.digests_of_file(file):
            self._same.setdefault(digest, []).append((entry, number))
        self._vanished: list[Entry] = []
        self._skips: list[tuple[str, str]] = []
        self.unusable = False

    def expects(self) -> bool:
        """Whether the file had entries before."""
        return bool(self._same)

    def compare(self, records: files.Records) -> None:
        """Find which entries the file no longer has, before any is matched by likeness."""
        now = Counter(identity.digest(_normal(r)) for r in records if isinstance(r, Record))
        gone = {entry for digest, known in self._same.items() for entry, _ in known[now[digest] :]}
        self._vanished = [e for e in self._record.entries_of_file(self._file) if e.entry in gone]
        for digest, known in self._same.items():
            self._same[digest] = [pair for pair in known if pair[0] not in gone]

    def enter(self, item: Record | Skip) -> None:
        """Take in what the file says next."""
        self._tally.read += 1
        if isinstance(item, Skip):
            self._skip(item)
            return
        record = _normal(item)
        if not record.text:
            self._tally.blank.append(Skip(record.file, record.place, "a title without abstract"))
        digest = identity.digest(record)
        known = self._same.get(digest)
        if known:
            self._keep(record, *known.pop(0))
        elif earlier := self._predecessor(record):
            self._change(earlier, record, digest)
        else:
            self._add(record, digest)

    def _skip(self, skip: Skip) -> None:
        if skip.place == "file" and (self._same or self._vanished):
            self.unusable = True
            skip = Skip(skip.file, skip.place, skip.reason + _KEPT)
        self._skips.append((skip.place, skip.reason))
        self._tally.skipped.append(skip)

    def _keep(self, record: Record, entry: int, number: int | None) -> None:
        self._record.move_entry(entry, record.place)
        if number is None:
            self._tally.skipped.append(Skip(record.file, record.place, _REMOVED))
        else:
            self._tally.unchanged += 1

    def _predecessor(self, record: Record) -> Entry | None:
        scores = [identity.succession(entry.record, record) for entry in self._vanished]
        best = max(range(len(scores)), key=scores.__getitem__, default=None)
        return self._vanished.pop(best) if best is not None and scores[best] > 0 else None

    def _change(self, earlier: Entry, record: Record, digest: bytes) -> None:
        self._record.change_entry(earlier.entry, digest, record)
        if earlier.number is None:
            self._tally.skipped.append(Skip(record.file, record.place, _REMOVED))
        else:
            self._tally.changed += 1
            self._describe(earlier.number)

    def _add(self, record: Record, digest: bytes) -> None:
        number = self._find(record)
        if number is None:
            number = self._record.add_paper(identity.new_id(record))
            self._tally.added += 1
        else:
            self._tally.duplicate += 1
        self._record.add_entry(self._file, number, digest, record)
        self._describe(number)

    def _find(self, record: Record) -> int | None:
        """Return the paper that the record is another copy of."""
        for number in self._record.find_keys(identity.keys(record), _CANDIDATES):
            twins = self._record.entries_of_paper(number)
            if any(identity.same_paper(record, twin.record) for twin in twins):
                return number
        return None

    def _describe(self, number: int) -> None:
        """Describe a paper from its entries; one without any is removed."""
        entries = self._record.entries_of_paper(number)
        if not entries:
            self._record.drop_paper(number)
            self._tally.removed += 1
            return
        records = [entry.record for entry in entries]
        best = best_text(records, [entry.stamp for entry in entries])
        title, source = title_of(merged := merge(records, best))
        keys = list(dict.fromkeys(key for record in records for key in identity.keys(record)))
        self._record.describe_paper(number, entries[best].entry, merged, title, source, keys)

    def finish(self, digest: bytes) -> None:
        """Drop what the file no longer says, and mark it as read to its end."""
        self._drop_rest()
        self._record.finish_file(self._file, digest, self._skips)

    def withdraw(self) -> None:
        """Drop all that the file said, and the file."""
        self._drop_rest()
        self._record.forget_file(self._file)

    def _drop_rest(self) -> None:
        rest = [(entry.entry, entry.number) for entry in self._vanished]
        rest += [pair for pairs in self._same.values() for pair in pairs]
        for entry, number in rest:
            self._record.drop_entry(entry)
            if number is not None:
                self._describe(number)


def _normal(record: Record) -> Record:
    return identity.with_identifiers(record)
