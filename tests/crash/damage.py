"""Drills on files that somebody damaged, or that another version wrote: flips, upgrade."""

import os
import shutil
import struct
import subprocess
import tarfile
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from disks import memory_folder
from driver import DriverFault
from ledger import AUDIT_SAYS, Comparison, Ledger
from rig import Context, Subject, Tally

# --- files ------------------------------------------------------------------------------------------

# What a file of a data directory is, by the shape of its name.
CLASSES = ("*.sst", "*.log", "MANIFEST-*", "CURRENT", "OPTIONS-*", "commit.mark")
LOG_FORMAT = ("*.log", "MANIFEST-*")
WAL_BLOCK = 32768
WAL_HEADER = struct.Struct("<IHB")
WAL_RECYCLABLE_TYPES = range(5, 9)


def wal_boundaries(path):
    """Where the records of a RocksDB log end."""
    log = path.read_bytes()
    boundaries, position = [], 0
    while position + WAL_HEADER.size <= len(log):
        left_in_block = WAL_BLOCK - position % WAL_BLOCK
        if left_in_block < WAL_HEADER.size:
            position += left_in_block
            continue
        _, length, kind = WAL_HEADER.unpack_from(log, position)
        if kind == 0:
            break
        position += WAL_HEADER.size + length + (4 if kind in WAL_RECYCLABLE_TYPES else 0)
        boundaries.append(position)
    return [boundary for boundary in boundaries if boundary < len(log)]


@dataclass(frozen=True)
class Wound:
    """One damage to one file, drawn beforehand so that a seed repeats it."""

    file: Path  # within the data directory
    what: str
    inflict: object  # called with the path of the file in a copy


def flipped_bit(base, file, chance):
    size = (base / file).stat().st_size
    position, bit = chance.randrange(size), chance.randrange(8)

    def inflict(path):
        content = bytearray(path.read_bytes())
        content[position] ^= 1 << bit
        path.write_bytes(content)

    return Wound(file, f"bit {bit} of byte {position} of {size} of {file} flipped", inflict)


def cut(base, file, size):
    what = f"{file} cut from {(base / file).stat().st_size} to {size} bytes"
    return Wound(file, what, lambda path: os.truncate(path, size))


def removed(file):
    return Wound(file, f"{file} removed", lambda path: path.unlink())


# --- flips ------------------------------------------------------------------------------------------

BASE_ACKNOWLEDGED = 600
CUTS_PER_CLASS = 20
SHORTEST_CLEAR_MESSAGE = 30


class Victim:
    """A directory with everything in it, of which every wound gets a fresh copy."""

    def __init__(self, context):
        self.context = context
        self.base = Subject(context, context.work / "base", producers=3, buffer=1 << 16)
        self._live()
        # What the first death left open is known before the second life goes on from there.
        self.base.judge()
        self._live()
        self.results = Counter()
        self.tally = Tally(acknowledged=self.base.ledger.acknowledged)
        self.tally.least = self.base.ledger.acknowledged

    def _live(self):
        with self.base.start() as driver:
            self.base.wait_for_acknowledgements(driver, BASE_ACKNOWLEDGED // 2)

    def files(self, pattern):
        found = sorted(self.base.directory.rglob(pattern))
        return [path.relative_to(self.base.directory) for path in found if path.stat().st_size]

    def suffer(self, wounds):
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for wound, outcome in zip(wounds, pool.map(self._open_with, wounds), strict=True):
                self.tally.cycles += 1
                self._judge(wound, outcome)

    def _open_with(self, wound):
        """What is found in a copy with this wound, or the fault in place of it."""
        folder = Path(tempfile.mkdtemp(dir=self.context.work))
        copy = Subject(self.context, folder / "copy", buffer=1 << 16)
        copy.ledger = self.base.ledger
        shutil.copytree(self.base.directory, copy.directory)
        wound.inflict(copy.directory / wound.file)
        try:
            return copy.inspect()
        except DriverFault as fault:
            return fault
        finally:
            shutil.rmtree(folder)

    def _judge(self, wound, outcome):
        if isinstance(outcome, DriverFault):
            self.results["failed"] += 1
            self.tally.fault(wound.what, outcome)
        elif outcome.refusal:
            self.results["refused"] += 1
            if len(outcome.refusal) < SHORTEST_CLEAR_MESSAGE:
                self.tally.fault(wound.what, f"refused without a reason: {outcome.refusal!r}")
        else:
            self._judge_verdict(wound, Comparison(self.base.ledger, outcome).run())

    def _judge_verdict(self, wound, verdict):
        problems = verdict.problems()
        # All that was read is right, and the audit names what could not be.
        if problems and all(problem.startswith(AUDIT_SAYS) for problem in problems):
            self.results["found by the audit"] += 1
            return
        self.results["silent" if problems else "harmless"] += 1
        self.tally.blame(verdict, wound.what)


def draw_wounds(victim, classes, cycles, chance):
    """`cycles` flipped bits, each log cut at each record, and cuts and losses of every class."""
    base = victim.base.directory
    for index in range(cycles):
        yield flipped_bit(base, chance.choice(classes[CLASSES[index % len(CLASSES)]]), chance)
    for pattern in LOG_FORMAT:
        for file in classes[pattern]:
            yield from (cut(base, file, size) for size in wal_boundaries(base / file))
    for files in classes.values():
        for _ in range(CUTS_PER_CLASS):
            file = chance.choice(files)
            yield cut(base, file, chance.randrange((base / file).stat().st_size))
        yield from (removed(file) for file in files)


def flips(context, cycles):
    with memory_folder(context) as memory:
        victim = Victim(Context(context.driver, memory, context.chance))
        tally = victim.tally
        classes = {pattern: victim.files(pattern) for pattern in CLASSES}
        empty = [pattern for pattern, files in classes.items() if not files]
        if empty:
            tally.fault("the directory", f"has no files like {', '.join(empty)}")
            return tally
        victim.suffer(list(draw_wounds(victim, classes, cycles, context.chance)))
        check_own_checksum(context, tally)
        tally.notes += [f"{count} {name}" for name, count in sorted(victim.results.items())]
        return tally


def tamper(context, directory, how):
    """Changes a record behind the store's back, with every checksum of the files in order."""
    subprocess.run(
        [str(context.driver), "tamper", str(directory), how], check=True, capture_output=True
    )


def tampered(context, how):
    """What is found in a directory that was tampered with, and everything wrong about it."""
    subject = Subject(context, context.work / "tampered", buffer=1 << 16)
    with subject.start() as driver:
        subject.wait_for_acknowledgements(driver)
    tamper(context, subject.directory, how)
    findings = subject.inspect()
    subject.discard()
    verdict = Comparison(subject.ledger, findings).run()
    return findings.refusal, verdict.problems()


def check_own_checksum(context, tally):
    """A record that changed before RocksDB computed its checksum is for us to notice."""
    refusal, _ = tampered(context, "spoil-event")
    tally.cycles += 1
    if not refusal:
        tally.fault("a spoilt record", "it was read as if it were whole")


def control_flips(context):
    """Records that vanish without a trace must be missed, each kind of them."""
    for how in ("lose-event", "lose-outcome", "lose-due"):
        refusal, problems = tampered(context, how)
        if not refusal and not problems:
            return False
    return True


# --- upgrade ----------------------------------------------------------------------------------------

FIXTURES = Path(__file__).parent / "fixtures"
OWED = "owed.txt"
FIXTURE_ACKNOWLEDGED = 50


def make_fixture(context, name):
    """Run once per format version, by the version that writes it; the file is kept for ever."""
    subject = Subject(context, context.work / name, producers=4, buffer=1 << 16)
    for _ in range(2):
        if subject.lives:
            subject.judge()  # leaves tables where there was only a log
        with subject.start() as driver:
            subject.wait_for_acknowledgements(driver, FIXTURE_ACKNOWLEDGED)
    for diary in subject.directory.rglob("LOG*"):
        diary.unlink()
    owed = "\n".join(subject.ledger.as_lines()) + "\n"
    (subject.directory / OWED).write_text(owed, encoding="utf-8")
    FIXTURES.mkdir(exist_ok=True)
    with tarfile.open(FIXTURES / f"{name}.tar.xz", "w:xz") as archive:
        archive.add(subject.directory, name)
    subject.discard()


def unpack(context, fixture):
    with tarfile.open(fixture) as archive:
        archive.extractall(context.work)
    subject = Subject(context, context.work / fixture.name.removesuffix(".tar.xz"), producers=4)
    subject.ledger = Ledger(subject.producers)
    for line in (subject.directory / OWED).read_text(encoding="utf-8").splitlines():
        subject.ledger.hear(line)
    return subject


def open_old(context, fixture, tally):
    """An old directory opens with everything in it, and can be worked in from then on."""
    subject = unpack(context, fixture)
    tally.blame(subject.judge(), fixture.name)
    with subject.start() as driver:
        subject.wait_for_acknowledgements(driver)
    tally.add(subject.judge(), subject.ledger.acknowledged, fixture.name)
    tally.blame(subject.drain(), fixture.name)
    subject.discard()


def open_newer(context, fixture, tally):
    """A directory of a version that is yet to come is refused, and left as it is."""
    subject = unpack(context, fixture)
    tamper(context, subject.directory, "newer-format")
    findings = subject.inspect()
    if "version" not in findings.refusal:
        tally.fault(fixture.name, f"a newer format is not refused: {findings.refusal!r}")
    subject.discard()


def upgrade(context, cycles):
    tally = Tally()
    fixtures = sorted(FIXTURES.glob("format-*.tar.xz"))
    if not fixtures:
        tally.fault("upgrade", f"there is no directory of an older version in {FIXTURES}")
    for fixture in fixtures * cycles:
        try:
            open_old(context, fixture, tally)
            open_newer(context, fixture, tally)
        except DriverFault as fault:
            tally.fault(fixture.name, fault)
    tally.notes.append(f"{len(fixtures)} versions")
    return tally


def control_upgrade(context):
    """An upgrade that drops a record must be noticed."""
    subject = unpack(context, sorted(FIXTURES.glob("format-*.tar.xz"))[0])
    tamper(context, subject.directory, "lose-event")
    verdict = Comparison(subject.ledger, subject.inspect()).run()
    subject.discard()
    return bool(verdict.lost)
