"""Drills in which the process dies, and the machine with it: kill, points, power."""

from contextlib import ExitStack

from disks import LoopDisk, memory_folder
from driver import DriverFault
from rig import Subject, Tally

# So that recovery is followed by recovery, and directories stay small.
LIVES_PER_DIRECTORY = 5
SPARE_SECONDS = 0.12
POINT_REPEATS = 3
POINT_ACKS = 2000
KILLED_STATUS = -9


class Deaths:
    """Lives on one place after the other; what happens at the end of a life is the drill's."""

    def __init__(self, context, places, after_death, **options):
        self.context = context
        self.places = places
        self.after_death = after_death
        self.options = options
        self.subjects = {}
        self.count = 0

    def subject(self, place):
        subject = self.subjects.get(place)
        if subject is None:
            self.count += 1
            producers = self.context.chance.choice((1, 4, 16, 64))
            subject = Subject(self.context, place / f"store-{self.count}", producers, **self.options)
            self.subjects[place] = subject
        return subject

    def cycle(self, tally):
        place = self.places[tally.cycles % len(self.places)]
        subject = self.subject(place)
        where = f"cycle {tally.cycles}, {place.name}, life {subject.lives + 1}"
        before = subject.ledger.acknowledged
        try:
            with subject.start() as driver:
                subject.wait_for_acknowledgements(driver)
                driver.listen_for(self.context.chance.uniform(0, SPARE_SECONDS))
                if not driver.kill():
                    raise DriverFault(f"the driver died by itself; {driver.errors()}")
            self.after_death(place)
            self._die_in_recovery(subject, place)
            verdict = subject.judge()
        except DriverFault as fault:
            tally.fault(where, fault)
            self._discard(place)
            tally.cycles += 1
            return
        tally.add(verdict, subject.ledger.acknowledged - before, where)
        self._retire(subject, place, tally, where, bool(verdict.problems()))

    def _die_in_recovery(self, subject, place):
        if self.context.chance.random() >= 0.2:
            return
        with subject.inspector("inspect", lambda line: None) as driver:
            driver.listen_for(self.context.chance.uniform(0, SPARE_SECONDS / 2))
        self.after_death(place)

    def _retire(self, subject, place, tally, where, is_spoilt):
        if not is_spoilt and subject.lives < LIVES_PER_DIRECTORY:
            return
        if not is_spoilt:
            try:
                tally.blame(subject.drain(), where)
            except DriverFault as fault:
                tally.fault(where, fault)
        self._discard(place)

    def _discard(self, place):
        self.subjects.pop(place).discard()

    def discard_all(self):
        """Whoever comes next begins with nothing, at the same places."""
        for place in list(self.subjects):
            self._discard(place)


def run_deaths(deaths, cycles):
    tally = Tally()
    while tally.cycles < cycles:
        deaths.cycle(tally)
    deaths.discard_all()
    return tally


def goes_red(deaths, cycles=10):
    """A control: something acknowledged must be found missing."""
    tally = Tally()
    while tally.cycles < cycles and tally.lost == 0:
        deaths.cycle(tally)
    deaths.discard_all()
    return tally.lost > 0


# --- kill -------------------------------------------------------------------------------------------


def killed(context, use, make=Deaths, **options):
    """Half of the lives on a disk, half in memory, where everything happens faster."""
    with memory_folder(context) as memory:
        return use(make(context, [context.work, memory], lambda place: None, **options))


def kill(context, cycles):
    return killed(context, lambda deaths: run_deaths(deaths, cycles))


def control_kill(context):
    return killed(context, goes_red, honesty="before")


# --- power ------------------------------------------------------------------------------------------


def with_disks(context, use, make=Deaths, **options):
    with ExitStack() as stack:
        disks = [stack.enter_context(LoopDisk(context.work, kind)) for kind in ("ext4", "xfs")]
        by_place = {disk.mount_point: disk for disk in disks}

        def cut(place):
            by_place[place].cut_power(flush_journal=context.chance.random() < 0.5)

        return use(make(context, list(by_place), cut, **options))


def power(context, cycles):
    return with_disks(context, lambda deaths: run_deaths(deaths, cycles))


def control_power(context):
    return with_disks(context, goes_red, sync=0)


# --- points -----------------------------------------------------------------------------------------


def fail_points(context):
    names = []
    subject = Subject(context, context.work / "none")
    with subject.inspector("points", lambda line: names.append(line.split()[1])) as driver:
        driver.listen_to_the_end()
    return names


def die_at(context, point, nth, tally, **options):
    """One fresh directory: some work, then more of it until death at the nth pass of the point.

    False if the point was not passed so often.
    """
    subject = Subject(context, context.work / "points", **{"buffer": 1 << 16, **options})
    where = f"{point} the {nth}. time"
    has_died = True
    try:
        with subject.start() as driver:
            subject.wait_for_acknowledgements(driver)
        tally.blame(subject.judge(), f"before {where}")
        with subject.start({"POSTRIDER_KILL_AT": f"{point}:{nth}"}, acks=POINT_ACKS) as driver:
            has_died = driver.listen_to_the_end() == KILLED_STATUS
        if has_died:
            tally.add(subject.judge(), subject.ledger.acknowledged, where)
            tally.blame(subject.drain(), where)
    except DriverFault as fault:
        tally.fault(where, fault)
        tally.cycles += 1
    subject.discard()
    return has_died


def die_often_at(context, point, repeats, tally):
    for repeat in range(repeats):
        nth = 1 if repeat == 0 else context.chance.randrange(2, 12)
        # What happens only at the beginning is not passed so often: then the first time, again.
        while not die_at(context, point, nth, tally):
            if nth == 1:
                tally.fault(point, "it was never passed")
                return
            nth = 1


def points(context, cycles):
    """Every point, `cycles` times at least: at its first pass, and at later ones drawn."""
    tally = Tally()
    names = fail_points(context)
    for point in names:
        die_often_at(context, point, max(cycles, POINT_REPEATS), tally)
    tally.notes.append(f"{len(names)} points")
    return tally


def control_points(context):
    tally = Tally()
    names = fail_points(context)
    for point in names:
        if tally.lost == 0:
            die_at(context, point, 3, tally, honesty="before")
    return tally.lost > 0
