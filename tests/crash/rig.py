"""What the drills share: a data directory that goes through several lives, and the tally."""

import random
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from driver import Driver, DriverFault
from ledger import Comparison, Findings, Ledger, check_drained

LEAST_ACKNOWLEDGED = 50
PROBLEMS_SHOWN = 10
REFUSED_STATUS = 2


@dataclass
class Tally:
    cycles: int = 0
    acknowledged: int = 0
    lost: int = 0
    duplicates: int = 0
    least: int | None = None  # acknowledged in one cycle
    problems: list = field(default_factory=list)
    notes: list = field(default_factory=list)  # figures of one drill only

    def add(self, verdict, acknowledged, where):
        self.cycles += 1
        self.acknowledged += acknowledged
        self.least = acknowledged if self.least is None else min(self.least, acknowledged)
        self.blame(verdict, where)

    def blame(self, verdict, where):
        self.lost += len(verdict.lost)
        self.duplicates += len(verdict.duplicates)
        self.problems += [f"{where}: {problem}" for problem in verdict.problems()]

    def merge(self, other):
        self.cycles += other.cycles
        self.acknowledged += other.acknowledged
        self.lost += other.lost
        self.duplicates += other.duplicates
        self.least = min((n for n in (self.least, other.least) if n is not None), default=None)
        self.problems += other.problems

    def fault(self, where, fault):
        self.problems.append(f"{where}: {fault}")


@dataclass
class Context:
    """Where the drill may work, and with what."""

    driver: Path
    work: Path
    chance: object  # random.Random

    def part(self, name):
        """For something that goes on beside others, with chances of its own."""
        return Context(self.driver, self.work / name, random.Random(self.chance.random()))


class Subject:
    """One data directory, and everything that was ever acknowledged in it."""

    def __init__(self, context, directory, producers=16, **options):
        self.context = context
        self.directory = Path(directory)
        self.producers = producers
        self.options = {"buffer": context.chance.choice((1 << 16, 1 << 18, 1 << 20)), **options}
        self.ledger = Ledger(producers)
        self.lives = 0

    def start(self, environment=None, **options):
        self.lives += 1
        again = self.ledger.numbers_in_doubt()
        first = self.ledger.begin_life()
        return Driver(
            self.context.driver,
            "run",
            self.directory,
            self.ledger.hear,
            environment,
            seed=self.context.chance.randrange(1 << 32),
            first=first,
            again=again,
            producers=self.producers,
            **{**self.options, **options},
        )

    def wait_for_acknowledgements(self, driver, count=LEAST_ACKNOWLEDGED, seconds=20.0):
        goal = self.ledger.acknowledged + count
        driver.listen_until(
            lambda: self.ledger.acknowledged >= goal, f"{count} acknowledgements", seconds
        )

    # --- afterwards -------------------------------------------------------------------------------

    def inspector(self, mode, hear, environment=None):
        return Driver(
            self.context.driver,
            mode,
            self.directory,
            hear,
            environment,
            newest=self.ledger.newest_sequence,
            buffer=self.options["buffer"],
        )

    def inspect(self, mode="inspect"):
        findings = Findings()
        with self.inspector(mode, findings.hear) as driver:
            status = driver.listen_to_the_end()
            if status not in (0, REFUSED_STATUS) or not (findings.is_complete or findings.refusal):
                raise DriverFault(f"the inspection ended with status {status}; {driver.errors()}")
        return findings

    def judge(self):
        """What is missing or wrong now; afterwards the ledger owes what is there."""
        findings = self.inspect()
        if findings.refusal:
            raise DriverFault(f"the store refuses to open: {findings.refusal}")
        comparison = Comparison(self.ledger, findings)
        verdict = comparison.run()
        comparison.settle()
        return verdict

    def drain(self):
        findings = self.inspect("drain")
        if findings.refusal:
            raise DriverFault(f"the store refuses to open: {findings.refusal}")
        return check_drained(self.ledger, findings)

    def discard(self):
        shutil.rmtree(self.directory, ignore_errors=True)
