"""Addresses where nobody answers, or nobody even listens."""

import contextlib
import socket

from .table import add


class ClosedPort:
    """A port that was free a moment ago and is kept from others by being bound, not listened on."""

    def __init__(self):
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]

    def close(self):
        self._socket.close()


class FullBacklog:
    """Listens, never accepts, and has no room left: the handshake of TCP is not answered."""

    def __init__(self):
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=0)
        self.port = self._socket.getsockname()[1]
        self._guests = []
        while self._has_room():
            pass

    def _has_room(self):
        guest = socket.socket()
        self._guests.append(guest)
        guest.settimeout(0.2)
        with contextlib.suppress(TimeoutError):
            guest.connect(("127.0.0.1", self.port))
            return True
        return False

    def close(self):
        for guest in self._guests:
            guest.close()
        self._socket.close()


PLACES = {"closed_port": ClosedPort, "full_backlog": FullBacklog}

add(None, "connect_failed", name="closed_port", reason="refused", connections=0)
add(None, "timeout", name="full_backlog", reason="in_connect", takes="the deadline", connections=0)
