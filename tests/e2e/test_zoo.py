"""Every hostile receiver ends in its named outcome, in time, and costs nothing that stays.

Usage: DRIVER. The receivers are in tests/e2e/receivers, one small function each.
"""

import socket
import sys
import tempfile
import threading
import unittest

from outbound import Driver, run_all
from receivers.names import SERVER_FAILURE, NameServer
from receivers.table import DEADLINE
from receivers.zoo import Zoo

PROGRAM = sys.argv[1]

# Between the deadline and the outcome lie a timer and a turn of the loop; the rest is patience with
# a busy machine.
GRACE_MS = 400
DEADLINE_MS = int(DEADLINE * 1000)
DELIVERIES = 1000
WIDTH = 200
GROWTH_MAX_KIB = 64 * 1024
RETRY_AFTER_SLACK = 5


def request_to(zoo, row, pool):
    return {
        "url": zoo.url(row),
        "body_bytes": max(row.body, 64),
        "deadline_ms": DEADLINE_MS,
        "pool": pool,
        **zoo.trust(row),
    }


class Visit:
    """What came of the attempts at one receiver."""

    def __init__(self, row):
        self.row = row
        self.outcomes = []
        self.connections = 0
        self.requests = 0


def visit_all(zoo, driver):
    """All receivers at once; the attempts at one of them one after the other."""
    visits = {name: Visit(row) for name, row in zoo.rows.items()}

    def run(visit, pool):
        seen = zoo.connections(visit.row)
        for number in range(visit.row.attempts):
            if number > 0:  # what the receiver still had to do has been done
                zoo.wait_for_rest(visit.row, number)
            visit.outcomes.append(driver.attempt(**request_to(zoo, visit.row, pool)))
        visit.connections = zoo.connections(visit.row) - seen

    workers = [
        threading.Thread(target=run, args=(visit, pool))
        for pool, visit in enumerate(visits.values(), start=1)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for visit in visits.values():
        visit.requests = zoo.requests(visit.row)
    return visits


def is_as_named(row, outcome):
    return (
        outcome["kind"] in row.kind.split(" or ")
        and outcome["status"] == row.status
        and row.reason in ("", outcome["reason"])
    )


def is_in_time(row, outcome):
    least, most = {
        "a moment": (0, DEADLINE_MS - 1),
        "the deadline": (DEADLINE_MS, DEADLINE_MS + GRACE_MS),
        "either": (0, DEADLINE_MS + GRACE_MS),
    }[row.takes]
    return least <= outcome["elapsed_ms"] <= most


def is_as_patient(row, outcome):
    asked = outcome["retry_after_s"]
    if row.retry_after is None or asked is None:
        return asked == row.retry_after
    return abs(asked - row.retry_after) <= RETRY_AFTER_SLACK


class ZooTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.zoo = Zoo(cls.folder.name)
        cls.driver = Driver(
            PROGRAM, "--dns", f"127.0.0.1:{cls.zoo.name_server.port}", "--allow", "127.0.0.0/8"
        )
        cls.visits = visit_all(cls.zoo, cls.driver)

    @classmethod
    def tearDownClass(cls):
        cls.driver.close()
        cls.zoo.close()
        cls.folder.cleanup()

    def wrong(self, is_right):
        """The outcomes for which `is_right(row, outcome)` does not hold, with their receivers."""
        return [
            (name, outcome)
            for name, visit in self.visits.items()
            for outcome in visit.outcomes
            if not is_right(visit.row, outcome)
        ]

    def test_has_at_least_30_receivers(self):
        self.assertGreaterEqual(len(self.zoo.rows), 30)

    def test_each_ends_in_its_named_outcome(self):
        self.assertEqual(self.wrong(is_as_named), [])

    def test_each_ends_within_the_deadline(self):
        self.assertEqual(self.wrong(is_in_time), [])

    def test_patience_is_asked_for_in_every_form(self):
        self.assertEqual(self.wrong(is_as_patient), [])

    def test_none_is_asked_twice_for_one_attempt(self):
        wrong = [
            (name, visit.connections, visit.requests)
            for name, visit in self.visits.items()
            if visit.connections != visit.row.connections_expected
            or visit.requests > visit.row.requests_most
        ]
        self.assertEqual(wrong, [])

    def test_a_thousand_deliveries_leave_nothing_behind(self):
        before = self.driver.stats()
        rows = list(self.zoo.rows.values())
        jobs = [
            request_to(self.zoo, rows[number % len(rows)], pool=number)
            for number in range(DELIVERIES)
        ]
        outcomes = run_all(self.driver, jobs, WIDTH)
        after = self.driver.stats()
        print(f"{len(outcomes)} deliveries, {len(rows)} receivers: {before} -> {after}")
        wrong = [
            (rows[number % len(rows)].name, outcome)
            for number, outcome in enumerate(outcomes)
            if not is_as_named(rows[number % len(rows)], outcome)
        ]
        self.assertEqual(wrong, [])
        self.assertLess(after["rss_kib"] - before["rss_kib"], GROWTH_MAX_KIB)
        self.assertEqual(after["in_flight"], 0)
        self.assertEqual(after["connections"], after["idle"])

    def test_the_receivers_made_no_mistakes(self):
        self.assertEqual(self.zoo.faults(), [])


class Resolvers(unittest.TestCase):
    """A resolver that cannot be reached is our own fault, and no attempt: no receiver is blamed."""

    def attempt_with_name_server(self, port):
        driver = Driver(PROGRAM, "--dns", f"127.0.0.1:{port}", "--allow", "127.0.0.0/8")
        outcome = driver.attempt(
            url="http://host.zoo.test:8080/", body_bytes=1, deadline_ms=DEADLINE_MS
        )
        driver.close()
        return outcome["kind"], outcome["reason"]

    def test_a_resolver_that_is_not_there(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as closed:
            closed.bind(("127.0.0.1", 0))
            port = closed.getsockname()[1]
        outcome = self.attempt_with_name_server(port)
        self.assertEqual(outcome, ("not_started", "resolvers_unreachable"))

    def test_a_resolver_that_is_silent(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
            silent.bind(("127.0.0.1", 0))
            outcome = self.attempt_with_name_server(silent.getsockname()[1])
        self.assertEqual(outcome, ("not_started", "resolvers_unreachable"))

    def test_a_resolver_that_answers_with_a_failure_is_there(self):
        server = NameServer(lambda _name, _kind: SERVER_FAILURE)
        outcome = self.attempt_with_name_server(server.port)
        server.close()
        self.assertEqual(outcome, ("dns_failed", "server_failure"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
