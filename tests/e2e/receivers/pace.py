"""Receivers that take their time, in each phase of an attempt."""

from .table import DEADLINE, LATE_BY, receiver

OK = "HTTP/1.1 200 OK\r\n"
TWO_BYTES = "Content-Length: 2\r\n\r\nok"
MANY_BYTES = 8 * 1024 * 1024  # more than socket buffers take in


@receiver("timeout", reason="in_head", takes="the deadline")
def accepts_and_never_answers(connection):
    connection.stay()


@receiver("timeout", reason="in_write", takes="the deadline", body=MANY_BYTES)
def never_reads(connection):
    connection.hold()


@receiver("timeout", reason="in_write", takes="the deadline", body=MANY_BYTES)
def reads_one_block_a_second(connection):
    connection.read_head()
    while True:
        connection.pause(1.0)
        connection.socket.recv(4096)


@receiver("timeout", reason="in_head", takes="the deadline")
def one_byte_of_the_head_a_second(connection):
    connection.read_request()
    connection.drip(OK + TWO_BYTES, seconds=1.0)


@receiver("timeout", reason="in_head", takes="the deadline")
def one_interim_reply_a_second(connection):
    """Each looks like progress; the deadline is over all of them."""
    connection.read_request()
    while True:
        connection.send("HTTP/1.1 100 Continue\r\n\r\n")
        connection.pause(1.0)


@receiver("timeout", reason="in_head", takes="the deadline")
def one_header_line_then_silence(connection):
    connection.read_request()
    connection.send(OK + "X-One: 1\r\n")
    connection.stay()


@receiver("response", status=200, takes="either")
def one_byte_of_the_body_a_second(connection):
    connection.read_request()
    connection.send(OK + "Content-Length: 1000\r\n\r\n")
    connection.drip("x" * 1000, seconds=1.0)


@receiver("response", status=200, takes="either")
def one_chunk_a_second(connection):
    connection.read_request()
    connection.send(OK + "Transfer-Encoding: chunked\r\n\r\n")
    while True:
        connection.send("1\r\nx\r\n")
        connection.pause(1.0)


@receiver("response", status=200, takes="either")
def head_then_silence(connection):
    connection.read_request()
    connection.send(OK + "Content-Length: 100\r\n\r\n")
    connection.stay()


@receiver("response", status=200, takes="either")
def never_closes_after_a_success(connection):
    """Without a length, the body ends when the connection does."""
    connection.read_request()
    connection.send(OK + "\r\nok")
    connection.stay()


@receiver("response", status=500, takes="either")
def never_closes_after_an_error(connection):
    connection.read_request()
    connection.send("HTTP/1.1 500 Internal Server Error\r\n\r\nsorry")
    connection.stay()


@receiver("timeout", reason="in_head", takes="the deadline")
def success_that_is_late(connection):
    connection.read_request()
    connection.pause_until(DEADLINE + LATE_BY)
    connection.send(OK + TWO_BYTES)
    connection.stay()


@receiver("response", status=200, takes="either")
def success_in_the_last_moment(connection):
    """The control: as slow, but in time."""
    connection.read_request()
    connection.pause_until(DEADLINE - 2 * LATE_BY)
    connection.send(OK + TWO_BYTES)
    connection.stay()


@receiver("timeout", reason="in_head", takes="the deadline")
def last_header_line_is_late(connection):
    connection.read_request()
    connection.send(OK + "Content-Length: 2\r\n")
    connection.pause_until(DEADLINE + LATE_BY)
    connection.send("\r\nok")
    connection.stay()


@receiver("response", status=200, body=MANY_BYTES, takes="either")
def success_before_the_body_was_read(connection):
    """Answers when it has the head, and reads no more."""
    connection.read_head()
    connection.send(OK + TWO_BYTES)
    connection.hold()


@receiver("response", status=413, body=MANY_BYTES, takes="either")
def refusal_before_the_body_was_read(connection):
    connection.read_head()
    connection.send("HTTP/1.1 413 Content Too Large\r\nConnection: close\r\n" + TWO_BYTES)
    connection.hold()


@receiver("response", status=413, body=MANY_BYTES, takes="either")
def refusal_while_the_body_is_read(connection):
    connection.read_head()
    connection.send("HTTP/1.1 413 Content Too Large\r\n" + TWO_BYTES)
    connection.stay()
