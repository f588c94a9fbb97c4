"""Drills in which the disk misbehaves and the process lives on: eio, full, freeze."""

import os
import re
import select
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from disks import LoopDisk, SmallDisk, Unable, need
from driver import DriverFault
from ledger import Verdict
from rig import Subject, Tally

RECOVERY_SECONDS = 20.0

# --- eio --------------------------------------------------------------------------------------------

# For each n the sync of the log fails, and one of the others; directories are synced seldom, so
# that their n is a tenth.
OTHER_CALLS = (("write", 1), ("pwrite64", 1), ("fsync", 10))
INJECTIONS_PER_LIFE = 10
LIVES_AT_ONCE = 4
STRACE_SECONDS = 10.0
# How long the next call of a kind may take to come, on a machine with other things to do: strace slows
# down what it watches, and each of the process's threads counts for itself.
SECONDS_PER_CALL = {"fdatasync": 0.2, "write": 0.2, "pwrite64": 0.2, "fsync": 2.0}


class Injection:
    """strace on a running process: the nth call from now on fails, in each of its threads."""

    def __init__(self, pid, call, nth, error="EIO"):
        self.process = subprocess.Popen(
            ["strace", "-f", "-p", str(pid), "-e", f"trace={call}"]
            + ["-e", f"inject={call}:error={error}:when={nth}", "-e", "signal=none"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self._output = self.process.stderr.fileno()
        os.set_blocking(self._output, False)
        self._text = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(timeout=STRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stderr.close()

    def has_said(self, pattern):
        ready, _, _ = select.select([self._output], [], [], 0)
        if ready:
            self._text += os.read(self._output, 1 << 20)
        if b"Operation not permitted" in self._text:
            raise Unable("strace may not attach here; the drill needs ptrace")
        return re.search(pattern, self._text) is not None


def wait_with(driver, condition, what, seconds):
    """As Driver.listen_until, for a condition that the driver's own lines do not show."""
    deadline = time.monotonic() + seconds
    while not condition():
        if driver.process.poll() is not None:
            raise DriverFault(f"the driver ended by itself; {driver.errors()}")
        if time.monotonic() > deadline:
            raise DriverFault(f"no {what} within {seconds} s")
        driver.listen(0.01)


def inject(subject, driver, call, nth):
    with Injection(driver.process.pid, call, nth) as injection:
        wait_with(driver, lambda: injection.has_said(rb"attached"), "strace", STRACE_SECONDS)
        wait_with(
            driver,
            lambda: injection.has_said(rb"\(INJECTED\)"),
            f"failure of {call} number {nth}",
            RECOVERY_SECONDS + nth * SECONDS_PER_CALL[call],
        )
        # Recovered by itself, and what failed once does not fail again.
        subject.wait_for_acknowledgements(driver, seconds=RECOVERY_SECONDS)


def eio_life(context, injections, **options):
    """One process that meets one failure after the other, and must get over each."""
    tally = Tally()
    subject = Subject(context, context.work, **{"buffer": 1 << 16, **options})
    where = "EIO"
    try:
        with subject.start() as driver:
            subject.wait_for_acknowledgements(driver, 1)
            for call, nth in injections:
                before = subject.ledger.acknowledged
                where = f"EIO on {call} number {nth}"
                inject(subject, driver, call, nth)
                tally.add(Verdict(), subject.ledger.acknowledged - before, where)
        tally.blame(subject.judge(), where)
        tally.blame(subject.drain(), where)
    except DriverFault as fault:
        tally.fault(where, fault)
    subject.discard()
    return tally


def draw_injections(cycles):
    for nth in range(1, cycles + 1):
        call, share = OTHER_CALLS[nth % len(OTHER_CALLS)]
        yield ("fdatasync", nth)
        yield (call, (nth + share - 1) // share)


def eio(context, cycles):
    """Each n up to `cycles`. Most of the time goes by waiting, so several lives go on at once."""
    need("strace")
    injections = list(draw_injections(cycles))
    tally = Tally()
    with ThreadPoolExecutor(LIVES_AT_ONCE) as pool:
        lives = [
            pool.submit(
                eio_life,
                context.part(f"eio-{first}"),
                injections[first : first + INJECTIONS_PER_LIFE],
            )
            for first in range(0, len(injections), INJECTIONS_PER_LIFE)
        ]
        for life in lives:
            tally.merge(life.result())
    return tally


def control_eio(context):
    for nth in range(1, 11):
        injections = [("write", nth), ("fdatasync", nth)]
        if eio_life(context.part(f"control-{nth}"), injections, honesty="despite").lost:
            return True
    return False


# --- full -------------------------------------------------------------------------------------------

SMALL_DISK_BYTES = 64 << 20
RESERVE_BYTES = 24 << 20
BALLAST_BYTES = 33 << 20
FULL_SECONDS_MAX = 0.3


def meet_watermark(subject, disk, driver):
    """Publishes are refused before the disk is full, and go on when there is room again."""
    ledger = subject.ledger
    driver.listen_until(
        lambda: any(line.startswith("down publish") for line in ledger.downs),
        "a refusal at the watermark",
    )
    disk.drop_ballast()
    subject.wait_for_acknowledgements(driver, 2 * subject.producers, RECOVERY_SECONDS)


def meet_last_byte(context, subject, disk, driver):
    """Somebody else takes all the room there is, and gives it back."""
    driver.listen_for(context.chance.uniform(0, FULL_SECONDS_MAX / 6))
    disk.fill_to_the_last_byte()
    driver.listen_for(context.chance.uniform(0, FULL_SECONDS_MAX))
    disk.free()
    subject.wait_for_acknowledgements(driver, 2 * subject.producers, RECOVERY_SECONDS)


def full_cycle(context, disk, tally, **options):
    is_last_byte = tally.cycles % 2 == 1
    # The watermark is near in one kind of cycle, and out of the way in the other.
    reserve = RESERVE_BYTES // 8 if is_last_byte else RESERVE_BYTES
    subject = Subject(context, disk.mount_point / "store", 4, **{"reserve": reserve, **options})
    where = f"cycle {tally.cycles}"
    try:
        if not is_last_byte:
            disk.put_ballast(BALLAST_BYTES)
        with subject.start() as driver:
            subject.wait_for_acknowledgements(driver)
            if is_last_byte:
                meet_last_byte(context, subject, disk, driver)
            else:
                meet_watermark(subject, disk, driver)
        tally.add(subject.judge(), subject.ledger.acknowledged, where)
        tally.blame(subject.drain(), where)
    except DriverFault as fault:
        tally.fault(where, fault)
        tally.cycles += 1
    subject.discard()
    disk.clear()


def full(context, cycles):
    tally = Tally()
    with SmallDisk(context.work, SMALL_DISK_BYTES) as disk:
        while tally.cycles < cycles:
            full_cycle(context, disk, tally)
    return tally


def control_full(context):
    tally = Tally()
    with SmallDisk(context.work, SMALL_DISK_BYTES) as disk:
        while tally.cycles < 4 and tally.lost == 0:
            full_cycle(context, disk, tally, honesty="despite")
    return tally.lost > 0


# --- freeze -----------------------------------------------------------------------------------------

FREEZE_SECONDS = (1.0, 3.0)
# What was synced before the disk hung may still be on its way to the producer.
SETTLE_SECONDS = 0.3


class Hang:
    """The disk hangs from the beginning to the end of a with block, or a little shorter."""

    def __init__(self, disk, seconds):
        self.process = disk.freeze_for(seconds)
        if self.process.stdout.readline() != b"frozen\n":
            raise Unable("fsfreeze failed; the drill needs root and fsfreeze (util-linux)")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.wait()
        self.process.stdout.close()


def hang_and_go_on(context, subject, disk, driver):
    seconds = context.chance.uniform(*FREEZE_SECONDS)
    with Hang(disk, seconds):
        driver.listen_for(SETTLE_SECONDS)
        heard = subject.ledger.acknowledged
        driver.listen_for(seconds - 2 * SETTLE_SECONDS)
        if subject.ledger.acknowledged > heard:
            raise DriverFault("something was acknowledged while the disk hung")
    subject.wait_for_acknowledgements(driver, seconds=RECOVERY_SECONDS)


def hang_and_die(context, subject, disk, driver):
    with Hang(disk, FREEZE_SECONDS[0]):
        driver.listen_for(context.chance.uniform(0, FREEZE_SECONDS[0] / 2))
        # It cannot die before the disk is back, nor do anything else.
        driver.signal_kill()


def turn_read_only(context, subject, disk, driver):
    disk.make_read_only()
    subject.ledger.downs.clear()
    driver.listen_until(lambda: subject.ledger.downs, "trouble with a read-only disk")
    heard = subject.ledger.acknowledged
    driver.listen_for(FREEZE_SECONDS[0])
    if subject.ledger.acknowledged > heard:
        raise DriverFault("something was acknowledged although the disk is read-only")


# What happens, to which disk, and how the machine comes back.
TROUBLES = (
    (hang_and_go_on, "ext4", LoopDisk.cut_power),
    (hang_and_go_on, "xfs", LoopDisk.cut_power),
    (hang_and_die, "ext4", LoopDisk.cut_power),
    (hang_and_die, "xfs", LoopDisk.cut_power),
    (turn_read_only, "ext4", LoopDisk.replace_disk),
)


def freeze_cycle(context, disks, trouble, tally, **options):
    happen, kind, come_back = trouble
    disk = disks[kind]
    subject = Subject(context, disk.mount_point / "store", **options)
    where = f"cycle {tally.cycles}, {happen.__name__} on {kind}"
    try:
        with subject.start() as driver:
            subject.wait_for_acknowledgements(driver)
            happen(context, subject, disk, driver)
        come_back(disk)
        tally.add(subject.judge(), subject.ledger.acknowledged, where)
        tally.blame(subject.drain(), where)
    except DriverFault as fault:
        tally.fault(where, fault)
        tally.cycles += 1
    subject.discard()


def on_freezing_disks(context, use):
    need("fsfreeze", "findmnt", "fsck.ext4")
    with ExitStack() as stack:
        return use(
            {kind: stack.enter_context(LoopDisk(context.work, kind)) for kind in ("ext4", "xfs")}
        )


def freeze(context, cycles):
    def use(disks):
        tally = Tally()
        while tally.cycles < cycles:
            freeze_cycle(context, disks, TROUBLES[tally.cycles % len(TROUBLES)], tally)
        return tally

    return on_freezing_disks(context, use)


def control_freeze(context):
    def use(disks):
        tally = Tally()
        while tally.cycles < 4 and tally.lost == 0:
            freeze_cycle(context, disks, TROUBLES[2], tally, honesty="before")
        return tally.lost > 0

    return on_freezing_disks(context, use)
