"""What a whole server owes: every event that it acknowledged must reach the receiver.

Kept outside of the server, over all its lives on one data directory. Producers take numbers here,
say what was acknowledged, and publish again after a death what nobody knows the fate of: every event
has an id of its producer's, so that must not store it twice. The receiver says what came.

An event may come more than once only if an attempt was under way when the server died, which lasts
until the outcome is on disk. How many those are is counted, not guessed: after each death an audit of
the directory says how many deliveries are on disk as delivered; whatever else was received was under
way.
"""

import json
import threading
from collections import deque

from ledger import Verdict

TOPICS = 4


def event_type(number):
    return f"drill.{number % TOPICS}"


def event_bytes(number):
    """The same bytes whenever it is published, of a size that differs from event to event."""
    return json.dumps(
        {
            "id": f"drill-{number}",
            "type": event_type(number),
            "payload": {"number": number, "filler": "x" * (number * 7919 % 2000)},
        }
    ).encode()


class ServerLedger:
    """`honesty`: "after" the answer an event counts as acknowledged; "before" is for the control."""

    def __init__(self, honesty="after"):
        self._lock = threading.Lock()
        self._is_honest = honesty == "after"
        self._next_number = 0
        self._doubtful = deque()  # sent in an earlier life, never answered
        self._outstanding = set()  # sent in this life, not answered yet
        self.acknowledged = set()
        self.received = set()
        self._receipts = 0  # in this life, repeats as well
        self._delivered = 0  # on disk when this life began
        self.problems = []
        self.begin_cycle()

    def begin_cycle(self):
        self.cycle_acknowledged = 0
        self.repeats = 0  # what came once more
        self.allowed = 0  # repeats that deaths account for
        self.published_again = 0  # of those in doubt

    # --- producers and receiver, from their threads -------------------------------------------------

    def take(self, count):
        """Numbers to publish, those in doubt first."""
        with self._lock:
            numbers = [self._doubtful.popleft() for _ in range(min(count, len(self._doubtful)))]
            self.published_again += len(numbers)
            fresh = count - len(numbers)
            numbers += range(self._next_number, self._next_number + fresh)
            self._next_number += fresh
            self._outstanding.update(numbers)
            if not self._is_honest:
                self._acknowledge(numbers)
            return numbers

    def answered(self, number, status):
        with self._lock:
            if status == 202:
                self._acknowledge([number])
            elif status in (429, 503):
                self._outstanding.discard(number)
                self._doubtful.append(number)
            else:
                self.problems.append(f"event {number} was answered with {status}")

    def _acknowledge(self, numbers):
        self._outstanding.difference_update(numbers)
        new = set(numbers) - self.acknowledged
        self.acknowledged |= new
        self.cycle_acknowledged += len(new)

    def receive(self, number):
        with self._lock:
            if number in self.received:
                self.repeats += 1
            self.received.add(number)
            self._receipts += 1

    # --- the drill ----------------------------------------------------------------------------------

    def death(self, delivered):
        """`delivered`: deliveries that are so on disk. Says how many attempts of the life that ended had
        reached the receiver without being on disk. Call it when the receiver hears no more of that life."""
        with self._lock:
            self._doubtful.extend(sorted(self._outstanding))
            self._outstanding.clear()
            self.allowed += max(0, len(self.received) - delivered)
            under_way = self._receipts - (delivered - self._delivered)
            self._receipts, self._delivered = 0, delivered
            return under_way

    def verdict(self, created):
        """When nothing is left to deliver. `created`: deliveries that the server has ever made."""
        with self._lock:
            verdict = Verdict(wrong=list(self.problems))
            verdict.lost += [
                f"event {number} was acknowledged and never received"
                for number in sorted(self.acknowledged - self.received)
            ]
            if self.repeats > self.allowed:
                verdict.duplicates.append(
                    f"{self.repeats} events came again, but only {self.allowed} attempts were under way"
                )
            if created != len(self.received):
                verdict.wrong.append(
                    f"{created} deliveries were made of {len(self.received)} events"
                )
            return verdict
