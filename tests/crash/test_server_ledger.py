"""The drills of the whole server are as good as their ledger: it must see loss, and nothing else."""

import json
import unittest

from server_ledger import ServerLedger, event_bytes


def published(ledger, count):
    numbers = ledger.take(count)
    for number in numbers:
        ledger.answered(number, 202)
    return numbers


def received(ledger, numbers):
    for number in numbers:
        ledger.receive(number)


class ServerLedgerTest(unittest.TestCase):
    def setUp(self):
        self.ledger = ServerLedger()

    def test_finds_nothing_wrong_where_everything_came_once(self):
        received(self.ledger, published(self.ledger, 3))
        self.assertEqual(self.ledger.verdict(created=3).problems(), [])
        self.assertEqual(self.ledger.cycle_acknowledged, 3)

    def test_misses_what_was_acknowledged_and_never_came(self):
        received(self.ledger, published(self.ledger, 3)[1:])
        self.assertEqual(len(self.ledger.verdict(created=2).lost), 1)

    def test_does_not_miss_what_was_never_answered(self):
        self.ledger.take(1)
        self.ledger.death(delivered=0)
        self.assertEqual(self.ledger.verdict(created=0).problems(), [])

    def test_publishes_again_what_was_never_answered_but_only_after_a_death(self):
        self.assertEqual(self.ledger.take(2), [0, 1])
        self.assertEqual(self.ledger.take(1), [2])
        self.ledger.answered(1, 202)
        self.ledger.death(delivered=0)
        self.assertEqual(self.ledger.take(3), [0, 2, 3])
        self.assertEqual(self.ledger.published_again, 2)

    def test_publishes_again_what_was_refused_for_want_of_room(self):
        self.ledger.take(1)
        self.ledger.answered(0, 503)
        self.assertEqual(self.ledger.take(2), [0, 1])

    def test_a_refusal_for_another_reason_is_wrong(self):
        self.ledger.take(1)
        self.ledger.answered(0, 400)
        self.assertTrue(self.ledger.verdict(created=0).wrong)

    def test_an_attempt_under_way_at_a_death_may_come_again(self):
        numbers = published(self.ledger, 3)
        received(self.ledger, numbers)
        self.assertEqual(self.ledger.death(delivered=2), 1)
        received(self.ledger, numbers[:1])
        self.assertEqual(self.ledger.verdict(created=3).problems(), [])

    def test_counts_under_way_in_each_life_what_that_life_has_sent(self):
        numbers = published(self.ledger, 5)
        received(self.ledger, numbers[:2])
        self.assertEqual(self.ledger.death(delivered=0), 2)
        received(self.ledger, numbers[1:])
        self.assertEqual(self.ledger.death(delivered=1), 3)

    def test_an_event_that_two_deaths_have_caught_may_come_three_times(self):
        numbers = published(self.ledger, 1)
        for _ in range(2):
            received(self.ledger, numbers)
            self.ledger.death(delivered=0)
        received(self.ledger, numbers)
        self.assertEqual(self.ledger.verdict(created=1).problems(), [])
        received(self.ledger, numbers)
        self.assertTrue(self.ledger.verdict(created=1).duplicates)

    def test_nothing_else_may_come_again(self):
        numbers = published(self.ledger, 3)
        received(self.ledger, numbers)
        self.ledger.death(delivered=2)
        received(self.ledger, numbers[:2])
        self.assertTrue(self.ledger.verdict(created=3).duplicates)

    def test_a_death_accounts_for_repeats_of_its_own_cycle_only(self):
        numbers = published(self.ledger, 1)
        received(self.ledger, numbers)
        self.ledger.death(delivered=0)
        self.ledger.begin_cycle()
        received(self.ledger, numbers)
        self.assertTrue(self.ledger.verdict(created=1).duplicates)

    def test_sees_an_event_that_was_stored_twice(self):
        received(self.ledger, published(self.ledger, 1))
        self.assertTrue(self.ledger.verdict(created=2).wrong)

    def test_the_control_owes_what_was_only_sent(self):
        ledger = ServerLedger(honesty="before")
        ledger.take(2)
        ledger.death(delivered=0)
        self.assertEqual(len(ledger.verdict(created=0).lost), 2)


class EventTest(unittest.TestCase):
    def test_an_event_has_the_same_bytes_each_time_and_says_its_number(self):
        self.assertEqual(event_bytes(17), event_bytes(17))
        self.assertEqual(json.loads(event_bytes(17))["payload"]["number"], 17)


if __name__ == "__main__":
    unittest.main()
