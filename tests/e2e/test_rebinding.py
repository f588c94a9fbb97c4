"""Names whose addresses change between two looks lead nowhere that is forbidden.

Usage: DRIVER. In a network namespace where every address is this machine, a name server without
shame flips between an address that may be reached and one that may not, at TTL 0. What leaves for
the forbidden ones is counted by the packet filter.
"""

import random
import sys
import threading
import unittest
from collections import Counter

import namespace
from outbound import Driver, run_all
from receivers.listener import Listener
from receivers.names import AAAA, NameServer, address, alias, wire_name

PROGRAM = sys.argv[1]

ALLOWED = ("93.184.216.34", "2606:2800:220:1::1")
DENIED = ("169.254.169.254", "10.0.0.1", "192.168.1.1", "fd00::1")
ATTEMPTS = 10_000
CONTROL_ATTEMPTS = 200
NAMES = ATTEMPTS // 2  # each is used twice, at different times
WIDTH = 50
GUARD_OFF = ("--allow", "0.0.0.0/0", "--allow", "::/0", "--allow-link-local")


def of_kind(kind, *texts):
    return [address(text) for text in texts if (":" in text) == (kind == AAAA)]


class ShamelessNames:
    """Answers by the first word: `flip-7.rebind.com` flips, and so on."""

    def __init__(self):
        self._looks = Counter()
        self._lock = threading.Lock()
        self._random = random.Random(1)

    def answer(self, name, kind):
        with self._lock:
            self._looks[name, kind] += 1
            trick = name.partition("-")[0]
            return getattr(self, f"_{trick}")(name, kind)

    def _one_denied(self, kind):
        return self._random.choice([text for text in DENIED if (":" in text) == (kind == AAAA)])

    def _flip(self, name, kind):
        """One look the good one, the next look the bad one."""
        is_good = self._looks[name, kind] % 2 == 1
        return of_kind(kind, *(ALLOWED if is_good else [self._one_denied(kind)]))

    def _chance(self, _name, kind):
        is_good = self._random.random() < 0.8
        return of_kind(kind, *(ALLOWED if is_good else [self._one_denied(kind)]))

    def _mixed(self, _name, kind):
        """All at once, in any order."""
        everything = [*ALLOWED, "10.0.0.1", "fd00::1"]
        self._random.shuffle(everything)
        return of_kind(kind, *everything)

    def _families(self, _name, kind):
        """A good IPv6 address beside a bad IPv4 address."""
        return of_kind(kind, ALLOWED[1], "10.0.0.1")

    def _alias(self, name, kind):
        target = f"direct-{name}"
        records = of_kind(kind, self._one_denied(kind))
        return [alias(target), *((*record, wire_name(target)) for record in records)]

    def _direct(self, _name, kind):
        return of_kind(kind, self._one_denied(kind))


TRICKS = ("flip", "flip", "chance", "chance", "mixed", "families", "alias")


def answers_and_closes(connection):
    connection.read_request()
    connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")


class Rebinding(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.names = NameServer(ShamelessNames().answer)
        cls.receiver = Listener(answers_and_closes, host="::", port=80, dualstack=True)
        cls.counters = [namespace.PacketCounter(target) for target in DENIED]
        cls.good_counters = [namespace.PacketCounter(target) for target in ALLOWED]

    @classmethod
    def tearDownClass(cls):
        cls.receiver.close()
        cls.names.close()

    def run_attempts(self, count, *options):
        driver = Driver(PROGRAM, "--dns", f"127.0.0.1:{self.names.port}", *options)
        jobs = [
            {
                "url": f"http://{TRICKS[number % len(TRICKS)]}-{number % NAMES}.rebind.com/",
                "body_bytes": 16,
                "deadline_ms": 5000,
                "pool": number % NAMES,
            }
            for number in range(count)
        ]
        outcomes = run_all(driver, jobs, WIDTH)
        driver.close()
        return Counter((outcome["kind"], outcome["status"]) for outcome in outcomes)

    def packets(self):
        return sum(counter.count() for counter in self.counters)

    def test_no_packet_reaches_a_forbidden_address(self):
        before, asked = self.packets(), len(self.names.queries)
        outcomes = self.run_attempts(ATTEMPTS)
        reached = sum(counter.count() for counter in self.good_counters)
        asked = len(self.names.queries) - asked
        print(f"{dict(outcomes)}, {asked} queries, {reached} packets to allowed addresses")
        self.assertEqual(self.packets() - before, 0)
        self.assertEqual(set(outcomes), {("response", 200), ("address_refused", 0)})
        self.assertGreater(outcomes["response", 200], ATTEMPTS // 10)
        self.assertGreater(outcomes["address_refused", 0], ATTEMPTS // 10)
        self.assertEqual(self.names.faults + self.receiver.faults, [])

    def test_the_counter_sees_it_when_the_guard_is_off(self):
        before = self.packets()
        self.run_attempts(CONTROL_ATTEMPTS, *GUARD_OFF)
        self.assertGreater(self.packets() - before, 0)


if __name__ == "__main__":
    namespace.enter()
    unittest.main(argv=sys.argv[:1])
