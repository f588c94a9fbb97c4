"""The drills are as good as the comparison they end with: each kind of loss must be seen by it."""

import struct
import tempfile
import unittest
from pathlib import Path

from damage import WAL_BLOCK, wal_boundaries
from ledger import Comparison, Findings, Ledger, check_drained

DELIVERY = str(7 << 16)
OTHER = str(8 << 16)

WORK = f"""
ready
ack publish 0 7 aaaa
ack publish 1 8 bbbb
try section 3 1 1 {DELIVERY}=retry:1 {OTHER}=delivered e99:1:1
ack section 3 1 1
try document setting-1 1 cccc
ack document setting-1 1
"""

FOUND = f"""
endpoint 99 1 1
due {DELIVERY}
event 7 0 aaaa sound
delivery {DELIVERY} waiting 1
event 8 1 bbbb sound
delivery {OTHER} delivered 0
document setting-1 1 cccc
audit ok
totals 2 1 0 0 0 2
inspected
"""


def heard(listener, text):
    for line in text.strip().splitlines():
        listener.hear(line)
    return listener


def verdict(found, work=WORK):
    return Comparison(heard(Ledger(4), work), heard(Findings(), found)).run()


class ComparisonTest(unittest.TestCase):
    def test_finds_nothing_wrong_where_everything_is_there(self):
        self.assertEqual(verdict(FOUND).problems(), [])

    def test_misses_an_event(self):
        self.assertTrue(verdict(FOUND.replace("event 7 0 aaaa sound\n", "")).lost)

    def test_sees_another_content(self):
        self.assertTrue(verdict(FOUND.replace("7 0 aaaa", "7 0 abaa")).wrong)
        self.assertTrue(verdict(FOUND.replace("aaaa sound", "aaaa wrong")).wrong)

    def test_sees_an_event_without_a_number(self):
        self.assertTrue(verdict(FOUND + "event 9 - dddd wrong\n").wrong)

    def test_sees_an_event_under_another_sequence(self):
        self.assertTrue(verdict(FOUND.replace("event 7 0", "event 6 0")).wrong)

    def test_sees_an_event_that_is_stored_twice(self):
        self.assertTrue(verdict(FOUND + "event 9 0 aaaa sound\n").duplicates)

    def test_sees_an_event_that_nobody_published(self):
        self.assertTrue(verdict(FOUND + "event 9 77 dddd sound\n").wrong)

    def test_sees_an_event_that_was_acknowledged_under_two_sequences(self):
        self.assertTrue(verdict(FOUND, WORK + "ack publish 0 12 aaaa again\n").wrong)

    def test_misses_an_outcome(self):
        self.assertTrue(verdict(FOUND.replace("delivered 0", "waiting 0")).lost)

    def test_misses_a_retry(self):
        self.assertTrue(verdict(FOUND.replace("waiting 1", "waiting 0")).lost)

    def test_misses_the_due_record_of_a_retry(self):
        self.assertTrue(verdict(FOUND.replace(f"due {DELIVERY}", f"tail {DELIVERY}")).lost)

    def test_sees_a_waiting_delivery_to_which_nothing_leads(self):
        work = WORK.replace(f"{DELIVERY}=retry:1 ", "")
        found = FOUND.replace("waiting 1", "waiting 0")
        self.assertEqual(verdict(found, work).problems(), [])
        self.assertTrue(verdict(found.replace(f"due {DELIVERY}\n", ""), work).lost)

    def test_sees_an_end_that_nobody_caused(self):
        work = WORK.replace(f" {OTHER}=delivered", "")
        self.assertTrue(verdict(FOUND, work).wrong)

    def test_sees_a_success_with_another_status(self):
        self.assertEqual(verdict(FOUND + f"success {OTHER} 1 200\n").problems(), [])
        self.assertTrue(verdict(FOUND + f"success {OTHER} 1 1\n").wrong)

    def test_misses_a_count_and_a_document(self):
        self.assertTrue(verdict(FOUND.replace("endpoint 99 1 1", "endpoint 99 1 0")).lost)
        self.assertTrue(verdict(FOUND.replace("setting-1 1 cccc", "setting-1 1 cacc")).lost)

    def test_sees_totals_that_do_not_add_up(self):
        self.assertTrue(verdict(FOUND.replace("totals 2 1", "totals 3 1")).wrong)

    def test_hears_the_audit(self):
        self.assertTrue(verdict(FOUND.replace("audit ok", "audit a record is missing")).wrong)
        self.assertTrue(verdict(FOUND.replace("audit ok\n", "")).wrong)


class OpenPiecesTest(unittest.TestCase):
    """A section that was submitted but not acknowledged may be there or not, but as a whole."""

    OPEN = WORK.replace("ack section 3 1 1\n", "")
    NOTHING = (
        FOUND.replace("delivered 0", "waiting 0")
        .replace("waiting 1", "waiting 0")
        .replace("endpoint 99 1 1\n", f"tail {OTHER}\n")
        .replace("totals 2 1", "totals 2 0")
    )

    def test_may_be_stored(self):
        self.assertEqual(verdict(FOUND, self.OPEN).problems(), [])

    def test_may_be_missing(self):
        self.assertEqual(verdict(self.NOTHING, self.OPEN).problems(), [])

    def test_must_not_be_stored_in_part(self):
        self.assertTrue(verdict(FOUND.replace("waiting 1", "waiting 0"), self.OPEN).wrong)

    def test_counts_as_acknowledged_once_it_was_found(self):
        ledger = heard(Ledger(4), self.OPEN)
        comparison = Comparison(ledger, heard(Findings(), FOUND))
        comparison.run()
        comparison.settle()
        self.assertTrue(Comparison(ledger, heard(Findings(), self.NOTHING)).run().lost)


class WritingTest(unittest.TestCase):
    def test_a_ledger_that_was_written_down_owes_the_same(self):
        ledger = heard(Ledger(4), WORK + f"try section 3 1 2 {DELIVERY}=dropped e99:1:2\n")
        again = heard(Ledger(4), "\n".join(ledger.as_lines()))
        for name in ("events", "deliveries", "endpoints", "documents", "open_sections"):
            self.assertEqual(getattr(again, name), getattr(ledger, name), name)


class DrainTest(unittest.TestCase):
    def test_sees_what_is_left_over(self):
        ledger = heard(Ledger(4), WORK)
        done = FOUND.replace("waiting 1", "delivered 1")
        self.assertEqual(check_drained(ledger, heard(Findings(), done)).problems(), [])
        self.assertTrue(check_drained(ledger, heard(Findings(), FOUND)).lost)


class LogTest(unittest.TestCase):
    def test_records_end_where_the_next_begins_also_across_blocks(self):
        def record(size):
            return struct.pack("<IHB", 0, size, 1) + b"x" * size

        first = record(100)
        filler = record(WAL_BLOCK - len(first) - 7 - 3)
        log = first + filler + b"\0" * 3 + record(5) + record(6)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "000001.log"
            path.write_bytes(log)
            self.assertEqual(
                wal_boundaries(path), [107, WAL_BLOCK - 3, WAL_BLOCK + 12]
            )


if __name__ == "__main__":
    unittest.main()
