"""Receivers that answer with too much, or with a body that is not what the head says.

A 2xx head is a success whatever follows it; what must not happen is that the body costs memory, or
that the connection is used again.
"""

import functools
import gzip

from .table import receiver

OK = "HTTP/1.1 200 OK\r\n"
BLOCK = b"x" * 65536


@functools.cache
def packed_zeros():
    return gzip.compress(bytes(32 * 1024 * 1024), compresslevel=1)


@receiver("response", status=200)
def endless_body(connection):
    connection.read_request()
    connection.send(OK + "\r\n")
    while True:
        connection.send(BLOCK)


@receiver("response", status=200)
def endless_chunks(connection):
    connection.read_request()
    connection.send(OK + "Transfer-Encoding: chunked\r\n\r\n")
    while True:
        connection.send(b"10000\r\n" + BLOCK + b"\r\n")


@receiver("response", status=200)
def content_length_of_eight_exabytes(connection):
    connection.read_request()
    connection.send(OK + "Content-Length: 9223372036854775807\r\n\r\n")
    while True:
        connection.send(BLOCK)


@receiver("response", status=503)
def endless_body_after_an_error(connection):
    connection.read_request()
    connection.send("HTTP/1.1 503 Service Unavailable\r\n\r\n")
    while True:
        connection.send(BLOCK)


@receiver("response", status=200)
def gzip_bomb(connection):
    """A thousandfold, if anybody unpacked it."""
    connection.read_request()
    bomb = packed_zeros()
    head = f"{OK}Content-Encoding: gzip\r\nContent-Length: {len(bomb)}\r\n\r\n"
    connection.send(head.encode() + bomb)
    connection.stay()


@receiver("response", status=200)
def endless_trailers(connection):
    connection.read_request()
    connection.send(OK + "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n")
    while True:
        connection.send(b"X-More: " + BLOCK[:1000] + b"\r\n")


@receiver("response", status=200)
def endless_chunk_extension(connection):
    connection.read_request()
    connection.send(OK + "Transfer-Encoding: chunked\r\n\r\n2;")
    while True:
        connection.send(BLOCK)


@receiver("response", status=200)
def bad_chunk_size_after_2xx(connection):
    connection.read_request()
    connection.send(OK + "Transfer-Encoding: chunked\r\n\r\nzz\r\nok\r\n0\r\n\r\n")
    connection.stay()


@receiver("response", status=200)
def huge_chunk_size_after_2xx(connection):
    connection.read_request()
    connection.send(OK + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nok")
    connection.stay()


@receiver("response", status=200)
def body_shorter_than_its_length(connection):
    connection.read_request()
    connection.send(OK + "Content-Length: 100\r\n\r\nshort")


@receiver("response", status=204, attempts=2)
def no_content_with_a_body(connection):
    """The body of a 204 is left over: nothing after it may be taken for the next reply."""
    connection.read_request()
    connection.send("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello")
    connection.stay()


@receiver("response", status=205, attempts=2)
def reset_content_with_a_body(connection):
    connection.read_request()
    connection.send("HTTP/1.1 205 Reset Content\r\nContent-Length: 5\r\n\r\nhello")
    connection.finish_sending()
    connection.stay()


@receiver("response", status=200, attempts=2)
def leftover_bytes_after_the_reply(connection):
    """A second reply nobody asked for, which would be the answer to the next request."""
    connection.read_request()
    reply = "Content-Length: 2\r\n\r\nok"
    connection.send(OK + reply + "HTTP/1.1 500 Planted\r\n" + reply)
    connection.stay()


@receiver("response", status=200, attempts=2)
def reply_planted_a_moment_later(connection):
    """As above, but the bytes arrive while the connection is idle."""
    connection.read_request()
    reply = "Content-Length: 2\r\n\r\nok"
    connection.send(OK + reply)
    connection.pause(0.05)
    connection.send("HTTP/1.1 500 Planted\r\n" + reply)
    connection.stay()


@receiver("response", status=200, attempts=2)
def body_larger_than_the_cap(connection):
    """Nobody reads it to its end, so the connection cannot be used again."""
    connection.read_request()
    connection.send(OK + f"Content-Length: {64 * len(BLOCK)}\r\n\r\n")
    for _ in range(64):
        connection.send(BLOCK)
    connection.stay()


@receiver("response", status=200, attempts=2, connections=1)
def well_behaved(connection):
    """The control: two requests on one connection."""
    while True:
        connection.read_request()
        connection.send(OK + "Content-Length: 2\r\n\r\nok")


@receiver("response", status=200, attempts=2, connections=1)
def well_behaved_chunks(connection):
    while True:
        connection.read_request()
        connection.send(OK + "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n")


@receiver("response", status=200, attempts=2)
def asks_to_close(connection):
    """Says that this was the last request, and then does not close."""
    connection.read_request()
    connection.send(OK + "Connection: close\r\nContent-Length: 2\r\n\r\nok")
    connection.stay()


@receiver("response", status=200, attempts=2)
def old_version_without_keep_alive(connection):
    connection.read_request()
    connection.send("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok")
    connection.stay()
