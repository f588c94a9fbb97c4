"""What a store owes: everything that a driver said was acknowledged, kept outside of the store.

A Ledger hears the lines of the drivers that worked on one directory, one life after the other; see
workload.h for them. Findings hears what is in the directory; see inspection.h. compare() says what
is missing or wrong. Afterwards settle() takes over what is now known for certain: a piece whose
fate was open when the process died is from then on as good as acknowledged, or never was.
"""

from collections import Counter
from dataclasses import dataclass, field

SUCCESS_STATUS = 200  # what the driver says of every success
ENDED = ("delivered", "dropped", "cancelled")
AUDIT_SAYS = "the audit says: "


@dataclass
class Section:
    deliveries: dict  # id -> state
    endpoints: dict  # id -> (wins, losses)

    def as_words(self):
        words = [f"{delivery}={state}" for delivery, state in self.deliveries.items()]
        words += [f"e{endpoint}:{wins}:{losses}" for endpoint, (wins, losses) in self.endpoints.items()]
        return " ".join(words)


@dataclass
class Owed:
    """A delivery as it was last acknowledged."""

    state: str = "waiting"
    attempts: int = 0
    is_recorded: bool = False

    def as_change(self):
        if self.state != "waiting":
            return self.state
        return f"retry:{self.attempts}" if self.attempts else "spilled"

    def after(self, change):
        if change.startswith("retry:"):
            return Owed("waiting", int(change[6:]), True)
        if change == "spilled":
            return Owed("waiting", self.attempts, True)
        return Owed(change, self.attempts, False)


class Ledger:
    def __init__(self, producers):
        self.producers = producers
        self.events = {}  # number -> (sequence or 0, digest)
        self.deliveries = {}  # id -> Owed, once something happened to it
        self.endpoints = {}  # id -> (wins, losses)
        self.documents = {}  # key -> (revision, digest)
        self.open_sections = {}  # (shard, epoch, number) -> Section
        self.open_documents = {}  # key -> (revision, digest)
        self.newest_number = -1
        self.first_number = 0
        self.newest_sequence = 0
        self.acknowledged = 0
        self.problems = []  # contradictions among the acknowledgements themselves
        self.downs = []
        self.is_ready = False

    # --- hearing --------------------------------------------------------------------------------

    def hear(self, line):
        words = line.split()
        if not words:
            return
        hearing = {
            "ack": self._hear_ack,
            "try": self._hear_try,
            "down": lambda words: self.downs.append(line),
            "ready": lambda words: setattr(self, "is_ready", True),
        }.get(words[0])
        if hearing:
            hearing(words)

    def _hear_ack(self, words):
        self.acknowledged += 1
        if words[1] == "publish":
            self._hear_publish(int(words[2]), int(words[3]), words[4])
        elif words[1] == "section":
            self._apply(self.open_sections.pop((words[2], words[3], words[4])))
        else:
            self.documents[words[2]] = self.open_documents.pop(words[2])

    def _hear_publish(self, number, sequence, digest):
        earlier = self.events.get(number)
        if earlier and earlier[0] and sequence and earlier[0] != sequence:
            self.problems.append(
                f"event {number} was acknowledged as {earlier[0]} and again as {sequence}"
            )
        self.events[number] = (sequence, digest)
        self.newest_number = max(self.newest_number, number)
        self.newest_sequence = max(self.newest_sequence, sequence)

    def _hear_try(self, words):
        if words[1] == "document":
            self.open_documents[words[2]] = (int(words[3]), words[4])
            return
        section = Section({}, {})
        for word in words[5:]:
            if word[0] == "e":
                endpoint, wins, losses = word[1:].split(":")
                section.endpoints[endpoint] = (int(wins), int(losses))
            else:
                delivery, state = word.split("=")
                section.deliveries[delivery] = state
        self.open_sections[(words[2], words[3], words[4])] = section

    def _apply(self, section):
        for delivery, change in section.deliveries.items():
            self.deliveries[delivery] = self.owed(delivery).after(change)
        self.endpoints.update(section.endpoints)

    # --- writing down ---------------------------------------------------------------------------

    def as_lines(self):
        """What a new ledger must hear in order to owe the same."""
        for number, (sequence, digest) in self.events.items():
            yield f"ack publish {number} {sequence} {digest}"
        settled = Section(
            {delivery: owed.as_change() for delivery, owed in self.deliveries.items()},
            self.endpoints,
        )
        yield f"try section 0 0 0 {settled.as_words()}"
        yield "ack section 0 0 0"
        for name, section in self.open_sections.items():
            yield f"try section {' '.join(name)} {section.as_words()}"
        for key, (revision, digest) in self.documents.items():
            yield f"try document {key} {revision} {digest}"
            yield f"ack document {key} {revision}"
        for key, (revision, digest) in self.open_documents.items():
            yield f"try document {key} {revision} {digest}"

    # --- asking ---------------------------------------------------------------------------------

    def owed(self, delivery):
        return self.deliveries.get(delivery, Owed())

    def begin_life(self):
        """The number of the first event that the next process publishes."""
        self.is_ready = False
        self.first_number = self.next_number() if self.newest_number >= 0 else 0
        return self.first_number

    def next_number(self):
        """Above every number that may have been published already."""
        return max(self.newest_number + 1, self.first_number) + self.producers

    def numbers_in_doubt(self):
        """From here on some events may be stored although nobody was told."""
        return max(0, self.newest_number + 1 - self.producers)


@dataclass
class Findings:
    events: dict = field(default_factory=dict)  # number -> [(sequence, digest, is sound)]
    nameless: list = field(default_factory=list)  # sequences whose payload carries no number
    deliveries: dict = field(default_factory=dict)  # id -> (state, attempts)
    endpoints: dict = field(default_factory=dict)
    documents: dict = field(default_factory=dict)
    reachable: set = field(default_factory=set)  # tail or due
    due: set = field(default_factory=set)
    successes: dict = field(default_factory=dict)  # id -> status of the response
    totals: tuple = ()
    refusal: str = ""
    audit: str = ""
    is_complete: bool = False

    def hear(self, line):
        words = line.split()
        hearing = getattr(self, f"_hear_{words[0]}", None) if words else None
        if hearing:
            hearing(words)

    def _hear_refused(self, words):
        self.refusal = " ".join(words[1:])

    def _hear_event(self, words):
        if words[2] == "-":
            self.nameless.append(int(words[1]))
        else:
            found = (int(words[1]), words[3], words[4] == "sound")
            self.events.setdefault(int(words[2]), []).append(found)

    def _hear_delivery(self, words):
        self.deliveries[words[1]] = (words[2], int(words[3]))

    def _hear_endpoint(self, words):
        self.endpoints[words[1]] = (int(words[2]), int(words[3]))

    def _hear_document(self, words):
        self.documents[words[1]] = (int(words[2]), words[3])

    def _hear_tail(self, words):
        self.reachable.add(words[1])

    def _hear_due(self, words):
        self.reachable.add(words[1])
        self.due.add(words[1])

    def _hear_success(self, words):
        self.successes[words[1]] = int(words[3])

    def _hear_totals(self, words):
        self.totals = tuple(int(word) for word in words[1:])

    def _hear_audit(self, words):
        self.audit = " ".join(words[1:])

    def _hear_inspected(self, words):
        self.is_complete = True


@dataclass
class Verdict:
    lost: list = field(default_factory=list)  # acknowledged, and not there
    duplicates: list = field(default_factory=list)
    wrong: list = field(default_factory=list)  # there, and not right

    def problems(self):
        return self.lost + self.duplicates + self.wrong

    def include(self, other):
        self.lost += other.lost
        self.duplicates += other.duplicates
        self.wrong += other.wrong


class Comparison:
    def __init__(self, ledger, findings):
        self.ledger = ledger
        self.found = findings
        self.verdict = Verdict()
        self.verdict.wrong += ledger.problems
        # Pieces whose fate was open and that turned out to be stored.
        self.stored_sections = []
        self.stored_documents = []

    def run(self):
        self._resolve_open_pieces()
        self._check_events()
        self._check_deliveries()
        self._check_records()
        self._check_totals()
        return self.verdict

    # --- pieces whose fate was open ---------------------------------------------------------------

    def _resolve_open_pieces(self):
        for name, section in self.ledger.open_sections.items():
            stored, missing = [], []
            for delivery, change in section.deliveries.items():
                after = self.ledger.owed(delivery).after(change)
                (stored if self._has(delivery, after) else missing).append(delivery)
            if stored and missing:
                self.verdict.wrong.append(
                    f"section {name} is stored in part: {stored} but not {missing}"
                )
            elif stored:
                self.stored_sections.append(section)
        for key, document in self.ledger.open_documents.items():
            if self.found.documents.get(key) == document:
                self.stored_documents.append(key)

    def _has(self, delivery, owed):
        state, attempts = self.found.deliveries.get(delivery, ("missing", 0))
        if owed.state != "waiting":
            return state == owed.state
        has_record = not owed.is_recorded or state == "blocked" or delivery in self.found.due
        return state in ("waiting", "blocked") and attempts == owed.attempts and has_record

    # --- checks -----------------------------------------------------------------------------------

    def _check_events(self):
        for number, (sequence, digest) in self.ledger.events.items():
            found = self.found.events.get(number)
            if not found:
                self.verdict.lost.append(f"event {number} (sequence {sequence}) is missing")
                continue
            if digest != found[0][1] or not found[0][2]:
                self.verdict.wrong.append(f"event {number} has another content")
            if sequence not in (0, found[0][0]):
                self.verdict.wrong.append(
                    f"event {number} was acknowledged as {sequence}, found as {found[0][0]}"
                )
        bound = self.ledger.next_number()
        for number, found in self.found.events.items():
            if len(found) > 1:
                self.verdict.duplicates.append(f"event {number} is stored {len(found)} times")
            if number >= bound:
                self.verdict.wrong.append(f"event {number} was never published")
        for sequence in self.found.nameless:
            self.verdict.wrong.append(f"the event with sequence {sequence} is unreadable")

    def _check_deliveries(self):
        owed_by_id = dict(self.ledger.deliveries)
        for section in self.stored_sections:
            for delivery, change in section.deliveries.items():
                owed_by_id[delivery] = self.ledger.owed(delivery).after(change)
        for delivery, owed in owed_by_id.items():
            if not self._has(delivery, owed):
                self.verdict.lost.append(
                    f"delivery {delivery} should be {owed}, "
                    f"found {self.found.deliveries.get(delivery)}"
                )
        for delivery, status in self.found.successes.items():
            if status != SUCCESS_STATUS:
                self.verdict.wrong.append(f"delivery {delivery} succeeded with status {status}")
        for delivery, (state, attempts) in self.found.deliveries.items():
            if delivery not in owed_by_id and (
                state not in ("waiting", "blocked") or attempts != 0
            ):
                self.verdict.wrong.append(
                    f"delivery {delivery} is {state} after {attempts} failures, by nobody"
                )
            if state == "waiting" and delivery not in self.found.reachable:
                self.verdict.lost.append(f"delivery {delivery} waits, but nothing leads to it")

    def _check_records(self):
        endpoints = dict(self.ledger.endpoints)
        for section in self.stored_sections:
            endpoints.update(section.endpoints)
        for endpoint, counts in endpoints.items():
            if self.found.endpoints.get(endpoint) != counts:
                self.verdict.lost.append(
                    f"endpoint {endpoint} should have counted {counts}, "
                    f"found {self.found.endpoints.get(endpoint)}"
                )
        for key, document in self.ledger.documents.items():
            if key not in self.stored_documents and self.found.documents.get(key) != document:
                self.verdict.lost.append(
                    f"document {key} should be {document}, found {self.found.documents.get(key)}"
                )

    def _check_totals(self):
        states = Counter(state for state, _ in self.found.deliveries.values())
        events = sum(len(found) for found in self.found.events.values())
        recount = (len(self.found.deliveries), *(states[state] for state in ENDED), 0, events)
        if self.found.totals != recount:
            self.verdict.wrong.append(f"totals are {self.found.totals}, recounted {recount}")
        if self.found.audit != "ok":
            self.verdict.wrong.append(f"{AUDIT_SAYS}{self.found.audit}")

    # --- afterwards -------------------------------------------------------------------------------

    def settle(self):
        """From now on the ledger owes what was found."""
        ledger = self.ledger
        for section in self.stored_sections:
            ledger._apply(section)
        for key in self.stored_documents:
            ledger.documents[key] = ledger.open_documents[key]
        ledger.open_sections.clear()
        ledger.open_documents.clear()
        for number, found in self.found.events.items():
            if number < ledger.next_number():
                ledger.events[number] = found[0][:2]
        if ledger.events:
            ledger.newest_number = max(ledger.events)
            ledger.newest_sequence = max(sequence for sequence, _ in ledger.events.values())


def check_drained(ledger, findings):
    """After everything reachable was ended, nothing may be left over."""
    verdict = Verdict()
    for delivery, (state, _) in findings.deliveries.items():
        if state not in ENDED:
            verdict.lost.append(f"delivery {delivery} is still {state} after a full drain")
    for number in ledger.events:
        if number not in findings.events:
            verdict.lost.append(f"event {number} is missing after a full drain")
    if findings.audit != "ok":
        verdict.wrong.append(f"the audit says after a full drain: {findings.audit}")
    return verdict
