"""Drills on files that somebody damaged, or that another version wrote: flips, upgrade."""

import os
import shutil
import struct
import subprocess
import tarfile
from collections import Counter
from pathlib import Path

from disks import image_folder
from driver import DriverFault
from ledger import Comparison, Ledger
from rig import Context, Subject, Tally

# --- files ------------------------------------------------------------------------------------------

# What a file of a data directory is, by the shape of its name.
CLASSES = ("*.sst", "*.log", "MANIFEST-*", "CURRENT", "OPTIONS-*", "commit.mark")
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


def flip_bit(path, chance):
    content = bytearray(path.read_bytes())
    position = chance.randrange(len(content))
    content[position] ^= 1 << chance.randrange(8)
    path.write_bytes(content)
    return f"a bit at byte {position} of {len(content)} of {path.name} flipped"


def cut_at(path, size):
    whole = path.stat().st_size
    os.truncate(path, size)
    return f"{path.name} cut from {whole} to {size} bytes"


def remove(path):
    path.unlink()
    return f"{path.name} removed"


# --- flips ------------------------------------------------------------------------------------------

BASE_ACKNOWLEDGED = 600
CUTS_PER_CLASS = 20
SHORTEST_CLEAR_MESSAGE = 30


class Damage:
    """A directory with everything in it, damaged anew for every try."""

    def __init__(self, context):
        self.context = context
        self.base = Subject(context, context.work / "base", producers=8, buffer=1 << 16)
        for _ in range(2):
            with self.base.start() as driver:
                self.base.wait_for_acknowledgements(driver, BASE_ACKNOWLEDGED // 2)
        self.results = Counter()
        self.tally = Tally(acknowledged=self.base.ledger.acknowledged)
        self.tally.least = self.base.ledger.acknowledged

    def files(self, pattern):
        found = sorted(self.base.directory.rglob(pattern))
        return [path.relative_to(self.base.directory) for path in found if path.stat().st_size]

    def attempt(self, relative, damage):
        """Damages one file of a fresh copy, and sees what the store makes of it."""
        copy = Subject(self.context, self.context.work / "copy", buffer=1 << 16)
        copy.ledger = self.base.ledger
        shutil.copytree(self.base.directory, copy.directory)
        what = damage(copy.directory / relative)
        try:
            self._judge(copy.inspect(), what)
        except DriverFault as fault:
            self.results["failed"] += 1
            self.tally.fault(what, fault)
        self.tally.cycles += 1
        copy.discard()

    def _judge(self, findings, what):
        if findings.refusal:
            self.results["refused"] += 1
            if len(findings.refusal) < SHORTEST_CLEAR_MESSAGE:
                self.tally.fault(what, f"refused without a reason: {findings.refusal!r}")
            return
        verdict = Comparison(self.base.ledger, findings).run()
        self.results["silent" if verdict.problems() else "harmless"] += 1
        self.tally.blame(verdict, what)


def flips(context, cycles):
    """`cycles` flipped bits, each log cut at each record, and cuts and losses of every class."""
    context = Context(context.driver, memory_folder(context), context.chance)
    chance = context.chance
    try:
        damage = Damage(context)
        classes = {pattern: damage.files(pattern) for pattern in CLASSES}
        empty = [pattern for pattern, files in classes.items() if not files]
        if empty:
            damage.tally.fault("the directory", f"has no files like {', '.join(empty)}")
            return damage.tally
        for index in range(cycles):
            relative = chance.choice(classes[CLASSES[index % len(CLASSES)]])
            damage.attempt(relative, lambda path: flip_bit(path, chance))
        for relative in classes["*.log"]:
            for boundary in wal_boundaries(damage.base.directory / relative):
                damage.attempt(relative, lambda path, size=boundary: cut_at(path, size))
        for files in classes.values():
            cut_and_remove(damage, files, chance)
        damage.tally.notes += [f"{count} {name}" for name, count in sorted(damage.results.items())]
        return damage.tally
    finally:
        shutil.rmtree(context.work, ignore_errors=True)


def cut_and_remove(damage, files, chance):
    for _ in range(CUTS_PER_CLASS):
        damage.attempt(
            chance.choice(files), lambda path: cut_at(path, chance.randrange(path.stat().st_size))
        )
    damage.attempt(chance.choice(files), remove)


def memory_folder(context):
    folder = image_folder(context.work) / f"postrider-drill-{os.getpid()}"
    folder.mkdir()
    return folder


def tamper(context, directory, how):
    """Changes a record behind the store's back, with every checksum of the files in order."""
    subprocess.run(
        [str(context.driver), "tamper", str(directory), how], check=True, capture_output=True
    )


def tampered(context, how):
    """The lost and wrong things that are noticed in a directory that was tampered with."""
    subject = Subject(context, context.work / "tampered", buffer=1 << 16)
    with subject.start() as driver:
        subject.wait_for_acknowledgements(driver)
    tamper(context, subject.directory, how)
    findings = subject.inspect()
    subject.discard()
    if findings.refusal:
        return []
    return Comparison(subject.ledger, findings).run().problems()


def control_flips(context):
    """Records that vanish without a trace must be missed, each kind of them."""
    return all(tampered(context, how) for how in ("lose-event", "lose-outcome", "lose-due"))


# --- upgrade ----------------------------------------------------------------------------------------

FIXTURES = Path(__file__).parent / "fixtures"
HEARD = "heard.txt"
FIXTURE_ACKNOWLEDGED = 80


def make_fixture(context, name):
    """Run once per format version, by the version that writes it; the file is kept for ever."""
    subject = Subject(context, context.work / name, producers=4, buffer=1 << 16)
    heard = []
    hear = subject.ledger.hear
    subject.ledger.hear = lambda line: (heard.append(line), hear(line))
    with subject.start() as driver:
        subject.wait_for_acknowledgements(driver, FIXTURE_ACKNOWLEDGED)
    for log in subject.directory.glob("LOG*"):
        log.unlink()
    (subject.directory / HEARD).write_text("\n".join(heard) + "\n", encoding="utf-8")
    FIXTURES.mkdir(exist_ok=True)
    with tarfile.open(FIXTURES / f"{name}.tar.xz", "w:xz") as archive:
        archive.add(subject.directory, name)
    subject.discard()


def unpack(context, fixture):
    with tarfile.open(fixture) as archive:
        archive.extractall(context.work)
    subject = Subject(context, context.work / fixture.name.removesuffix(".tar.xz"), producers=4)
    subject.ledger = Ledger(subject.producers)
    for line in (subject.directory / HEARD).read_text(encoding="utf-8").splitlines():
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
