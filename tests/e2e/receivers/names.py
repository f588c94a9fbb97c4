"""Receivers that are met by name: a DNS server, and the names that it plays tricks with.

Every name below `zoo.test` has the address 127.0.0.1 unless a row here says otherwise.
"""

import contextlib
import socket
import struct
import threading

from .table import add

A, CNAME, AAAA = 1, 5, 28
NO_ERROR, SERVER_FAILURE, NO_SUCH_NAME, REFUSED = 0, 2, 3, 5
RESPONSE_FLAGS = 0x8180


def address(text, ttl=0):
    family, kind = (socket.AF_INET6, AAAA) if ":" in text else (socket.AF_INET, A)
    return kind, ttl, socket.inet_pton(family, text)


def alias(name, ttl=0):
    return CNAME, ttl, wire_name(name)


def wire_name(name):
    labels = [label.encode() for label in name.split(".") if label]
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


class NameServer:
    """Answers over UDP what `answer(name, kind)` says: a list of records, a response code, or None
    for silence."""

    def __init__(self, answer, host="127.0.0.1", port=0):
        self._answer = answer
        self.queries = []
        self.faults = []
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 * 1024 * 1024)
        self._socket.bind((host, port))
        self.port = self._socket.getsockname()[1]
        self._closing = False
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self):
        self._closing = True
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as waker:
            waker.sendto(b"", self._socket.getsockname())
        self._thread.join()
        self._socket.close()

    def _serve(self):
        while not self._closing:
            try:
                query, sender = self._socket.recvfrom(4096)
            except OSError:
                return
            if len(query) <= 12:
                continue
            try:
                reply = self._reply(query)
            except Exception as fault:  # a mistake in the table of answers
                self.faults.append(repr(fault))
                continue
            if reply:
                self._socket.sendto(reply, sender)

    def _reply(self, query):
        name, end = read_name(query, 12)
        kind = struct.unpack(">H", query[end : end + 2])[0]
        question = query[12 : end + 4]
        self.queries.append((name, kind))
        answer = self._answer(name, kind)
        if answer is None:
            return None
        code, records = (answer, []) if isinstance(answer, int) else (NO_ERROR, answer)
        head = query[:2] + struct.pack(">HHHHH", RESPONSE_FLAGS | code, 1, len(records), 0, 0)
        return head + question + b"".join(self._record(question, record) for record in records)

    @staticmethod
    def _record(question, record):
        owner = record[3] if len(record) > 3 else b"\xc0\x0c"
        kind, ttl, value = record[:3]
        return owner + struct.pack(">HHIH", kind, 1, ttl, len(value)) + value


def read_name(query, start):
    labels, at = [], start
    while query[at]:
        labels.append(query[at + 1 : at + 1 + query[at]].decode("latin-1"))
        at += 1 + query[at]
    return ".".join(labels).lower(), at + 1


def only(kind, *records):
    """These records to whoever asks for that kind, and no others."""
    return lambda asked: list(records) if asked == kind else []


def through_alias(target, *records):
    owner = wire_name(target)
    return lambda asked: [alias(target), *((*record, owner) for record in records if record[0] == asked)]


LOOP = "loop.zoo.test"
# name: what it answers for a kind; anything else below zoo.test is 127.0.0.1.
TRICKS = {
    "missing.zoo.test": lambda _: NO_SUCH_NAME,
    "empty.zoo.test": lambda _: [],
    "broken.zoo.test": lambda _: SERVER_FAILURE,
    "refused.zoo.test": lambda _: REFUSED,
    "silent.zoo.test": lambda _: None,
    LOOP: lambda _: [alias(LOOP)],
    "metadata.zoo.test": only(A, address("169.254.169.254")),
    "private.zoo.test": only(A, address("10.0.0.1")),
    "mixed.zoo.test": only(A, address("127.0.0.1"), address("10.0.0.1")),
    "mixed-families.zoo.test": lambda asked: (
        [address("127.0.0.1")] if asked == A else [address("fd00::1")] if asked == AAAA else []
    ),
    "alias.zoo.test": through_alias("inside.example", address("192.168.0.1")),
    "mapped.zoo.test": only(AAAA, address("::ffff:10.0.0.1")),
    "translated.zoo.test": only(AAAA, address("64:ff9b::a00:1")),
    "zero.zoo.test": only(A, address("0.0.0.0")),
}


def answer_of_the_zoo(name, kind):
    if name in TRICKS:
        return TRICKS[name](kind)
    if name.endswith(".zoo.test"):
        return [address("127.0.0.1")] if kind == A else []
    return NO_SUCH_NAME


def refused(name):
    add(None, "address_refused", name=f"name_{name.partition('.')[0]}", host=name, connections=0)


for _name in (
    "metadata.zoo.test",
    "private.zoo.test",
    "mixed.zoo.test",
    "mixed-families.zoo.test",
    "alias.zoo.test",
    "mapped.zoo.test",
    "translated.zoo.test",
    "zero.zoo.test",
):
    refused(_name)

for _name, _host, _reason in (
    ("name_missing", "missing.zoo.test", "no_such_name"),
    ("name_without_addresses", "empty.zoo.test", "no_address"),
    ("name_that_is_its_own_alias", LOOP, "no_address"),
    ("name_whose_server_fails", "broken.zoo.test", "server_failure"),
    ("name_whose_server_refuses", "refused.zoo.test", "server_failure"),
):
    add(None, "dns_failed", name=_name, host=_host, reason=_reason, connections=0)
# Nobody knows whether an answer will still come; who asks later knows more than who asked first.
add(
    None,
    "timeout or dns_failed",
    name="name_nobody_answers_for",
    takes="either",
    host="silent.zoo.test",
    connections=0,
)
