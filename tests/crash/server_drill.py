"""Drills in which the whole server dies under load: server-kill, server-power.

Nothing is used but the binary and its sockets. A server, its receiver and the ledger of both go
through several deaths on one data directory. After each: the directory is audited as it was left, the
server is started again, and when it has nothing left to deliver, everything that it ever acknowledged
must have reached the receiver.
"""

import functools
import json
import random
import shutil
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

from crashes import LIVES_PER_DIRECTORY, SPARE_SECONDS, goes_red, killed, run_deaths, with_disks
from driver import DriverFault
from ledger import AUDIT_SAYS, Verdict
from rig import LEAST_ACKNOWLEDGED
from server_ledger import TOPICS, ServerLedger, event_type
from server_load import Producers, SlowReceiver, wait_until

sys.path.append(str(Path(__file__).resolve().parent.parent / "e2e"))
from server_rig import Server  # noqa: E402

LEAST_IN_FLIGHT = 10
# Waited for before a kill: some are answered until it comes.
AMPLE_IN_FLIGHT = LEAST_IN_FLIGHT + 5
IN_FLIGHT_PER_ENDPOINT = 10
IN_FLIGHT_MAX = TOPICS * IN_FLIGHT_PER_ENDPOINT
AUDIT_SECONDS = 60
FAULTS = (DriverFault, AssertionError, RuntimeError, OSError, subprocess.TimeoutExpired)
# A receiver that is slow for once must not keep a cycle waiting for a retry in a minute.
SETTINGS = {
    "delivery.endpoint_in_flight_max": IN_FLIGHT_PER_ENDPOINT,
    "retry.delays": ",".join(f"{200 * n}ms" for n in range(1, 61)),
    "log.level": "warn",
}


class KnownServer(Server):
    """Its key is read once, while nothing has happened to its disk."""

    @functools.cached_property
    def key(self):
        return super().key

    def die_while_starting(self, seconds):
        process = subprocess.Popen(
            self.command(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        threading.Event().wait(seconds)
        status = process.poll()
        process.kill()
        process.wait()
        if status is not None:
            raise DriverFault(f"the server ended by itself while it started, with status {status}")


@dataclass
class Audit:
    refusal: str = ""
    is_sound: bool = False
    problems: tuple = ()
    delivered: int = 0
    unfinished: int = 0


def audit(program, directory):
    done = subprocess.run(
        [str(program), "audit", "--json", str(directory)],
        capture_output=True,
        text=True,
        timeout=AUDIT_SECONDS,
        check=False,
    )
    if not done.stdout.strip():
        return Audit(refusal=done.stderr.strip() or f"status {done.returncode}")
    report = json.loads(done.stdout)
    counted = report["counted"]
    return Audit(
        is_sound=report["sound"] and done.returncode == 0,
        problems=tuple(report["problems"]),
        delivered=counted["delivered"],
        unfinished=counted["unfinished"],
    )


class ServerSubject:
    """One data directory with its server, its receiver, and everything that was acknowledged."""

    def __init__(self, context, directory, honesty="after", settings=None):
        self.context = context
        self.directory = Path(directory)
        self.directory.mkdir()
        self.ledger = ServerLedger(honesty)
        self.receiver = SlowReceiver(self.ledger.receive, random.Random(context.chance.random()))
        self.server = KnownServer(
            str(context.driver), self.directory, {**SETTINGS, **(settings or {})}
        )
        self.lives = 0
        # Once in a series it dies again while it starts.
        self.life_with_early_death = context.chance.randint(1, LIVES_PER_DIRECTORY)
        self.in_flight = 0  # at the last kill, as the receiver saw it

    def begin(self):
        self.server.start()
        for topic in range(TOPICS):
            self.server.subscribe(self.receiver.url(f"/{topic}"), type=event_type(topic))

    # --- one death ----------------------------------------------------------------------------------

    def cycle(self, after_death):
        """Load, death, whatever comes after it, a new start; then what is missing or wrong."""
        self.lives += 1
        self.ledger.begin_cycle()
        producers = Producers(self.server, self.ledger, self.context.chance.choice((4, 8, 16)))
        try:
            self._wait_for_load()
        finally:
            self._kill()
            producers.join()
        verdict = self._judge_death(after_death)
        if self.dies_early() and not verdict.lost:
            self.server.die_while_starting(self.context.chance.uniform(0, 2 * SPARE_SECONDS))
            verdict.include(self._judge_death(after_death))
        # What looks wrong on disk may be a loss, which only the receiver can tell.
        if not verdict.lost:
            self.server.start()
            verdict.include(self._judge_delivered())
        return verdict

    def dies_early(self):
        return self.lives == self.life_with_early_death

    def _wait_for_load(self):
        def is_busy():
            return (
                self.ledger.cycle_acknowledged >= LEAST_ACKNOWLEDGED
                and self.receiver.unanswered >= AMPLE_IN_FLIGHT
            )

        what = f"{LEAST_ACKNOWLEDGED} acknowledgements and {AMPLE_IN_FLIGHT} attempts in flight"
        wait_until(is_busy, what)
        threading.Event().wait(self.context.chance.uniform(0, SPARE_SECONDS))
        wait_until(is_busy, what)

    def _kill(self):
        self.in_flight = self.receiver.unanswered
        if self.server.process.poll() is not None:
            raise DriverFault(f"the server died by itself; {self.server.log()[-2000:]}")
        self.server.kill()

    def _judge_death(self, after_death):
        self.receiver.wait_until_left_alone()
        after_death()
        found = audit(self.context.driver, self.server.data)
        verdict = Verdict()
        if found.refusal:
            verdict.lost.append(f"the store does not open: {found.refusal}")
            return verdict
        if not found.is_sound:
            verdict.wrong += [f"{AUDIT_SAYS}{problem}" for problem in found.problems or ("unsound",)]
        under_way = self.ledger.death(found.delivered)
        if not 0 <= under_way <= IN_FLIGHT_MAX:
            verdict.wrong.append(
                f"the receiver has got {under_way} attempts more than are on disk as delivered; "
                f"between 0 and {IN_FLIGHT_MAX} can be under way"
            )
        return verdict

    def _judge_delivered(self):
        self.server.wait(lambda: self._totals()["unfinished"] == 0, "everything is delivered")
        return self.ledger.verdict(self._totals()["created"])

    def _totals(self):
        answer = self.server.call("GET", "/v1/conservation")
        if answer.status != 200:
            raise DriverFault(f"what is left was answered with {answer.status}: {answer.body.decode()}")
        return answer.json

    # --- the end of a series ------------------------------------------------------------------------

    def retire(self):
        """An orderly end leaves a sound directory in which everything is delivered."""
        verdict = Verdict()
        status = self.server.stop()
        found = audit(self.context.driver, self.server.data)
        if status != 0:
            verdict.wrong.append(f"the server ended with status {status} when it was told to stop")
        if found.refusal or not found.is_sound:
            problems = found.problems or (found.refusal or "unsound",)
            verdict.wrong += [f"{AUDIT_SAYS}{problem}" for problem in problems]
        elif found.unfinished or found.delivered != len(self.ledger.received):
            verdict.wrong.append(
                f"at the end {found.delivered} deliveries are on disk as delivered, {found.unfinished} "
                f"as unfinished; {len(self.ledger.received)} events were received"
            )
        return verdict

    def discard(self):
        self.server.kill()
        self.receiver.close()
        shutil.rmtree(self.directory, ignore_errors=True)


class ServerDeaths:
    """As crashes.Deaths, with servers in place of drivers."""

    def __init__(self, context, places, after_death, **options):
        self.context = context
        self.places = places
        self.after_death = after_death
        self.options = options
        self.subjects = {}
        self.count = 0
        self.in_flight = []  # at each kill
        self.early_deaths = 0
        self.published_again = 0
        self.repeats = 0
        self.allowed = 0

    def cycle(self, tally):
        place = self.places[tally.cycles % len(self.places)]
        where = f"cycle {tally.cycles}, {place.name}"
        try:
            subject = self._subject(place)
            where += f", life {subject.lives + 1}"
            verdict = subject.cycle(lambda: self.after_death(place))
        except FAULTS as fault:
            tally.fault(where, fault)
            tally.cycles += 1
            self._discard(place)
            return
        self._count(subject)
        tally.add(verdict, subject.ledger.cycle_acknowledged, where)
        self._retire(subject, place, tally, where, bool(verdict.problems()))

    def _subject(self, place):
        subject = self.subjects.get(place)
        if subject is None:
            self.count += 1
            subject = ServerSubject(self.context, place / f"server-{self.count}", **self.options)
            self.subjects[place] = subject
            subject.begin()
        return subject

    def _count(self, subject):
        self.in_flight.append(subject.in_flight)
        self.early_deaths += subject.dies_early()
        self.published_again += subject.ledger.published_again
        self.repeats += subject.ledger.repeats
        self.allowed += subject.ledger.allowed

    def _retire(self, subject, place, tally, where, is_spoilt):
        if not is_spoilt and subject.lives < LIVES_PER_DIRECTORY:
            return
        if not is_spoilt:
            try:
                tally.blame(subject.retire(), where)
            except FAULTS as fault:
                tally.fault(where, fault)
        self._discard(place)

    def _discard(self, place):
        if place in self.subjects:
            self.subjects.pop(place).discard()

    def discard_all(self):
        for place in list(self.subjects):
            self._discard(place)

    def notes(self):
        return [
            f"in flight at a kill {min(self.in_flight, default=0)} to {max(self.in_flight, default=0)}",
            f"{self.repeats} came again of {self.allowed} under way",
            f"{self.early_deaths} deaths more while starting",
            f"{self.published_again} events in doubt published again",
        ]

    def what_did_not_happen(self):
        """A drill that skips a part of itself shows less than it says."""
        if min(self.in_flight, default=0) < LEAST_IN_FLIGHT:
            yield f"a kill found fewer than {LEAST_IN_FLIGHT} attempts in flight"
        # With fewer cycles no series may have come to its end.
        if len(self.in_flight) >= LIVES_PER_DIRECTORY * len(self.places):
            if self.early_deaths == 0:
                yield "no server died while it started"
            if self.published_again == 0:
                yield "no event was in doubt after a death"


def run_server_deaths(deaths, cycles):
    tally = run_deaths(deaths, cycles)
    tally.notes += deaths.notes()
    tally.problems += deaths.what_did_not_happen()
    return tally


def kill(context, cycles):
    return killed(context, lambda deaths: run_server_deaths(deaths, cycles), ServerDeaths)


def control_kill(context):
    """Events count as acknowledged before they are sent."""
    return killed(context, goes_red, ServerDeaths, honesty="before")


def power(context, cycles):
    return with_disks(context, lambda deaths: run_server_deaths(deaths, cycles), ServerDeaths)


def control_power(context):
    return with_disks(context, goes_red, ServerDeaths, settings={"store.sync": "false"})
