#!/usr/bin/env python3
"""Puts the store, or the whole server, through one kind of trouble, many times, and counts what it lost.

Everything that the driver or the server acknowledged is kept outside of the disk that suffers, and compared with
what is found afterwards. Each drill has a control: a driver or a disk that is known to lose. A
control that finds nothing lost fails the drill.
"""

import argparse
import random
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import crashes
import damage
import faults
import server_drill
from disks import Unable, enter_own_namespace
from rig import LEAST_ACKNOWLEDGED, PROBLEMS_SHOWN, Context


@dataclass(frozen=True)
class Drill:
    run: object  # (context, cycles) -> Tally
    control: object  # context -> whether it went red
    cycles: int  # in everyday tests
    needs_mounts: bool = False


DRILLS = {
    "kill": Drill(crashes.kill, crashes.control_kill, 100),
    "points": Drill(crashes.points, crashes.control_points, 3),
    "power": Drill(crashes.power, crashes.control_power, 100, needs_mounts=True),
    "eio": Drill(faults.eio, faults.control_eio, 100),
    "full": Drill(faults.full, faults.control_full, 50, needs_mounts=True),
    "freeze": Drill(faults.freeze, faults.control_freeze, 5, needs_mounts=True),
    "flips": Drill(damage.flips, damage.control_flips, 1000),
    "upgrade": Drill(damage.upgrade, damage.control_upgrade, 1),
    "server-kill": Drill(server_drill.kill, server_drill.control_kill, 100),
    "server-power": Drill(server_drill.power, server_drill.control_power, 100, needs_mounts=True),
}

COLUMNS = "{:12} {:>7} {:>12} {:>5} {:>6} {:>10} {:>8} {:>7}  {}"


def program(path):
    """A bare name means a file here, not a command of the system."""
    return Path(path).absolute()


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("drill", choices=[*DRILLS, "make-fixture"])
    parser.add_argument("--driver", type=program, required=True, help="the binary store_driver; postrider for server-*")
    parser.add_argument("--cycles", type=int, help="how often; see docs/reliability.md")
    parser.add_argument("--seed", type=int, help="repeats the choices of an earlier run")
    parser.add_argument("--name", default="format-1", help="of the fixture to make")
    return parser.parse_args(argv)


def print_table(name, tally, is_red, seconds):
    print(COLUMNS.format("drill", "cycles", "acknowledged", "lost", "least", "duplicates",
                         "control", "seconds", ""))  # fmt: skip
    print(COLUMNS.format(name, tally.cycles, tally.acknowledged, tally.lost, tally.least or 0,
                         tally.duplicates, "red" if is_red else "GREEN", round(seconds),
                         ", ".join(tally.notes)))  # fmt: skip


def verdict(tally, is_red):
    """What is wrong with the run, one sentence each."""
    problems = list(tally.problems)
    if (tally.least or 0) < LEAST_ACKNOWLEDGED:
        problems.append(
            f"a cycle had only {tally.least} acknowledgements, at least {LEAST_ACKNOWLEDGED} "
            "are needed to show anything"
        )
    if not is_red:
        problems.append("the control lost nothing: this drill would not notice a loss")
    return problems


def perform(name, arguments, work):
    drill = DRILLS[name]
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}")
    began = time.monotonic()
    is_red = drill.control(Context(arguments.driver, work, random.Random(seed)))
    context = Context(arguments.driver, work, random.Random(seed))
    tally = drill.run(context, arguments.cycles or drill.cycles)
    print_table(name, tally, is_red, time.monotonic() - began)
    problems = verdict(tally, is_red)
    for problem in problems[:PROBLEMS_SHOWN]:
        print(f"  {problem}")
    if len(problems) > PROBLEMS_SHOWN:
        print(f"  and {len(problems) - PROBLEMS_SHOWN} more")
    return 1 if problems else 0


def main(argv=None):
    arguments = parse(argv)
    drill = DRILLS.get(arguments.drill)
    work = None
    try:
        if drill and drill.needs_mounts:
            enter_own_namespace()
        work = Path(tempfile.mkdtemp(prefix="postrider-drill-"))
        if drill is None:
            damage.make_fixture(Context(arguments.driver, work, random.Random(1)), arguments.name)
            return 0
        return perform(arguments.drill, arguments, work)
    except Unable as reason:
        print(f"drill {arguments.drill}: cannot run here: {reason}", file=sys.stderr)
        return 1
    finally:
        if work:
            shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
