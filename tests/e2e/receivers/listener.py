"""A port on 127.0.0.1 whose connections are played by a function.

The function gets a Connection, sees the raw bytes and may do with them what no HTTP library would
do. One thread per connection, so that each receiver reads as a plain sequence of steps.
"""

import contextlib
import socket
import struct
import threading
import time

REQUEST_BYTES_MAX = 64 * 1024 * 1024
LINGER_NEVER = struct.pack("ii", 1, 0)  # close() sends RST instead of FIN


class ClientGone(Exception):
    """The client closed the connection; the receiver has nothing left to play."""


class Connection:
    """One accepted connection, raw or after a TLS handshake."""

    def __init__(self, sock, listener):
        self.socket = sock
        self.listener = listener
        self.number = 0  # of this connection at its listener, from 1
        self.accepted_at = 0.0
        self._read = b""
        self._has_read_one = False

    def read_head(self):
        """The head of the next request, counted."""
        if self._has_read_one:
            self.listener.rest()
        self._has_read_one = True
        while b"\r\n\r\n" not in self._read:
            self._read += self._receive()
        head, _, self._read = self._read.partition(b"\r\n\r\n")
        self.listener.count_request(head)
        return head

    def read_request(self):
        """The next request: its head and its body."""
        head = self.read_head()
        length = body_length(head)
        if length > REQUEST_BYTES_MAX:
            raise ValueError(f"a request body of {length} bytes")
        while len(self._read) < length:
            self._read += self._receive()
        body, self._read = self._read[:length], self._read[length:]
        return head, body

    def send(self, text):
        self.socket.sendall(text if isinstance(text, bytes) else text.encode("latin-1"))

    def drip(self, text, seconds):
        """One byte at a time, with a pause after each."""
        for byte in text.encode("latin-1"):
            self.send(bytes([byte]))
            self.pause(seconds)

    def pause(self, seconds):
        """Lets time pass in which the receiver reads nothing and writes nothing."""
        if self.listener.closing.wait(seconds):
            raise ClientGone

    def pause_until(self, moment):
        """Until `moment`, counted from the accept."""
        self.pause(max(0.0, self.accepted_at + moment - time.monotonic()))

    def stay(self):
        """Says nothing more, swallows whatever comes, and never closes before the client does."""
        self.listener.rest()
        while True:
            self._receive()

    def hold(self):
        """Neither reads nor writes nor closes until the zoo closes."""
        self.listener.closing.wait()

    def reset(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_NEVER)
        self.socket.close()

    def finish_sending(self):
        self.socket.shutdown(socket.SHUT_WR)

    def _receive(self):
        received = self.socket.recv(65536)
        if not received:
            raise ClientGone
        return received


def body_length(head):
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


class Listener:
    """Accepts until closed. `play` runs once per connection; what it raises that is not the end of
    the connection is kept in `faults`, which a test finds empty or fails."""

    def __init__(self, play, tls=None, host="127.0.0.1", port=0, dualstack=False):
        self._play = play
        self._tls = tls
        self.closing = threading.Event()
        self.heads = []
        self.faults = []
        self._rests = 0
        self._rested = threading.Condition()
        self.peers = []  # the address that each connection was made to
        self._lock = threading.Lock()
        self._sockets = set()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server(
            (host, port), family=family, backlog=512, dualstack_ipv6=dualstack
        )
        self.port = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    @property
    def connections(self):
        return len(self.peers)

    @property
    def requests(self):
        return len(self.heads)

    def count_request(self, head):
        with self._lock:
            self.heads.append(head)

    def rest(self):
        """The receiver has done all that it does by itself; the rest is up to the client."""
        with self._rested:
            self._rests += 1
            self._rested.notify_all()

    def wait_for_rest(self, rests, patience=10.0):
        """Until so many connections, or replies on one, have come to rest."""
        with self._rested:
            if not self._rested.wait_for(lambda: self._rests >= rests, patience):
                raise TimeoutError(f"{self._rests} of {rests} came to rest")

    def close(self):
        self.closing.set()
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        with self._lock:
            for sock in self._sockets:
                with contextlib.suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)
        self._thread.join()

    def _accept(self):
        while not self.closing.is_set():
            try:
                sock, _ = self._socket.accept()
            except OSError:
                return
            accepted_at = time.monotonic()
            threading.Thread(target=self._serve, args=(sock, accepted_at), daemon=True).start()

    def _serve(self, sock, accepted_at):
        if self._tls:
            sock = self._tls.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)
        connection = Connection(sock, self)
        connection.accepted_at = accepted_at
        with self._lock:
            self._sockets.add(sock)
            self.peers.append(sock.getsockname()[0])
            connection.number = len(self.peers)
        try:
            if self._tls:
                sock.do_handshake()
            self._play(connection)
        except (ClientGone, OSError):  # ssl.SSLError is an OSError
            pass
        except Exception as fault:  # a mistake in the receiver itself
            self.faults.append(repr(fault))
        finally:
            with self._lock:
                self._sockets.discard(sock)
            connection.socket.close()
            sock.close()
            self.rest()
