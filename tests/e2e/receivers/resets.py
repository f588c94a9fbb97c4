"""Receivers that break the connection, in each phase of an attempt."""

from .table import receiver

OK = "HTTP/1.1 200 OK\r\n"
MANY_BYTES = 8 * 1024 * 1024  # more than socket buffers take in


@receiver("reset or connect_failed")
def resets_on_accept(connection):
    """Whether the connection was ever made is a question of who looks first."""
    connection.reset()


@receiver("reset")
def resets_a_moment_after_accept(connection):
    connection.pause(0.05)
    connection.reset()


@receiver("reset")
def resets_after_the_request_head(connection):
    connection.read_head()
    connection.reset()


@receiver("reset", body=MANY_BYTES)
def resets_in_the_middle_of_the_request(connection):
    connection.read_head()
    connection.socket.recv(4096)
    connection.reset()


@receiver("reset", reason="in_head")
def resets_after_the_request(connection):
    connection.read_request()
    connection.reset()


@receiver("reset", reason="in_head")
def resets_in_the_middle_of_the_head(connection):
    connection.read_request()
    connection.send(OK + "X-One: ")
    connection.pause(0.05)
    connection.reset()


@receiver("reset", reason="in_head")
def resets_after_an_interim_reply(connection):
    connection.read_request()
    connection.send("HTTP/1.1 100 Continue\r\n\r\n")
    connection.pause(0.05)
    connection.reset()


@receiver("response", status=200)
def resets_in_the_middle_of_the_body(connection):
    connection.read_request()
    connection.send(OK + "Content-Length: 100\r\n\r\nhello")
    connection.pause(0.05)
    connection.reset()


@receiver("response", status=503)
def resets_in_the_middle_of_an_error(connection):
    connection.read_request()
    connection.send("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 100\r\n\r\nhello")
    connection.pause(0.05)
    connection.reset()


@receiver("reset")
def closes_on_accept(connection):
    pass


@receiver("reset", reason="in_head")
def closes_after_the_request(connection):
    connection.read_request()


@receiver("reset", reason="in_head")
def closes_in_the_middle_of_the_head(connection):
    connection.read_request()
    connection.send(OK + "Content-Length: 2\r\n")


@receiver("reset", reason="in_head")
def half_closes_without_a_reply(connection):
    """Will read for ever, and has said all that it will say: nothing."""
    connection.read_request()
    connection.finish_sending()
    connection.stay()


@receiver("response", status=200)
def half_closes_after_the_reply(connection):
    connection.read_request()
    connection.send(OK + "\r\nok")
    connection.finish_sending()
    connection.stay()


@receiver("response", status=200, attempts=2)
def closes_an_idle_connection(connection):
    """Keeps the promise of keep-alive for a moment only; the next request needs a new one."""
    connection.read_request()
    connection.send(OK + "Content-Length: 2\r\n\r\nok")
    connection.finish_sending()
    connection.stay()


@receiver("response", status=200, attempts=2)
def resets_an_idle_connection(connection):
    connection.read_request()
    connection.send(OK + "Content-Length: 2\r\n\r\nok")
    connection.pause(0.05)
    connection.reset()


@receiver("response", status=200, attempts=2, connections=2, requests=3)
def hangs_up_on_the_second_request(connection):
    """An idle connection may end at any moment, so what was sent on one is sent again, once."""
    connection.read_request()
    connection.send(OK + "Content-Length: 2\r\n\r\nok")
    connection.read_request()
    connection.reset()


@receiver("response", status=200, attempts=2, connections=2, requests=3)
def closes_on_the_second_request(connection):
    connection.read_request()
    connection.send(OK + "Content-Length: 2\r\n\r\nok")
    connection.read_request()
