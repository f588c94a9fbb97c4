"""The table of the zoo: a name, what the receiver does, and the outcome that it must produce."""

from collections.abc import Callable
from dataclasses import dataclass

# From the start of an attempt; every receiver of the zoo is met with this one.
DEADLINE = 1.5
LATE_BY = 0.25


@dataclass(frozen=True)
class Receiver:
    """What is expected of one attempt at it, or of `attempts` one after the other."""

    name: str
    play: Callable | None  # None: the address itself is the receiver
    kind: str  # of the outcome; names as in src/model/outcome_words.cc
    status: int = 0
    reason: str = ""  # of the outcome; empty: which one is a matter of chance
    retry_after: int | None = None  # in seconds
    takes: str = "a moment"  # or "the deadline", or "either"
    body: int = 0  # bytes to send, at least
    attempts: int = 1
    connections: int | None = None  # what the receiver counts; default: one per attempt
    requests: int | None = None  # likewise, at most
    certificate: str = ""  # TLS with this chain of certificates.py
    tls: str = ""  # a variation of the receiver's TLS, see tls.py
    client: str = ""  # the client certificate that is shown
    host: str = "127.0.0.1"

    @property
    def connections_expected(self):
        return self.attempts if self.connections is None else self.connections

    @property
    def requests_most(self):
        return self.attempts if self.requests is None else self.requests


ZOO = {}


def add(play, kind, name=None, **expected):
    row = Receiver(name=name or play.__name__, play=play, kind=kind, **expected)
    if row.name in ZOO:
        raise ValueError(f"two receivers are called {row.name}")
    ZOO[row.name] = row


def receiver(kind, **expected):
    """Puts the function below into the zoo, under its own name."""

    def register(play):
        add(play, kind, **expected)
        return play

    return register
