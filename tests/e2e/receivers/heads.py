"""Receivers whose response head is too large, malformed, or no HTTP at all."""

from .table import add, receiver

OK = "HTTP/1.1 200 OK\r\n"
TWO_BYTES = "Content-Length: 2\r\n\r\nok"


@receiver("protocol_error")
def endless_header(connection):
    connection.read_request()
    connection.send(OK + "X-Long: ")
    while True:
        connection.send(b"x" * 4096)


@receiver("protocol_error")
def huge_headers(connection):
    connection.read_request()
    lines = "".join(f"X-{number}: {'x' * 1000}\r\n" for number in range(40))
    connection.send(OK + lines + TWO_BYTES)
    connection.stay()


@receiver("protocol_error")
def too_many_header_lines(connection):
    connection.read_request()
    connection.send(OK + "".join(f"X-{number}: x\r\n" for number in range(150)) + TWO_BYTES)
    connection.stay()


@receiver("protocol_error")
def endless_status_line(connection):
    connection.read_request()
    connection.send("HTTP/1.1 200 ")
    while True:
        connection.send(b"O" * 4096)


@receiver("protocol_error")
def flood_of_interim_replies(connection):
    connection.read_request()
    while True:
        connection.send("HTTP/1.1 100 Continue\r\n\r\n")


@receiver("protocol_error")
def nine_interim_replies(connection):
    connection.read_request()
    connection.send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 9 + OK + TWO_BYTES)
    connection.stay()


@receiver("response", status=200)
def eight_interim_replies(connection):
    connection.read_request()
    connection.send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 8 + OK + TWO_BYTES)
    connection.stay()


@receiver("response", status=200)
def interim_replies_with_long_headers(connection):
    """As much as the limits allow; none of it is kept."""
    connection.read_request()
    hint = f"HTTP/1.1 103 Early Hints\r\nLink: <{'x' * 15000}>\r\n\r\n"
    connection.send(hint * 8 + OK + TWO_BYTES)
    connection.stay()


@receiver("protocol_error")
def switches_protocols_unasked(connection):
    connection.read_request()
    connection.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")
    connection.stay()


# What a parser must not forgive: every one of these means something else to somebody else.
MALFORMED = {
    "two_equal_lengths": f"{OK}Content-Length: 2\r\n{TWO_BYTES}",
    "two_different_lengths": f"{OK}Content-Length: 3\r\n{TWO_BYTES}",
    "list_of_lengths": f"{OK}Content-Length: 2, 2\r\n\r\nok",
    "negative_length": f"{OK}Content-Length: -2\r\n\r\nok",
    "length_with_a_sign": f"{OK}Content-Length: +2\r\n\r\nok",
    "length_in_hex": f"{OK}Content-Length: 0x2\r\n\r\nok",
    "length_beyond_64_bits": f"{OK}Content-Length: 18446744073709551618\r\n\r\nok",
    "length_and_chunks": f"{OK}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    "chunks_and_length": f"{OK}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks_not_last": f"{OK}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "chunks_twice": f"{OK}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
    "unknown_transfer_encoding": f"{OK}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "bare_line_feeds": "HTTP/1.1 200 OK\nContent-Length: 2\n\nok",
    "one_bare_line_feed": f"{OK}X-One: 1\n{TWO_BYTES}",
    "bare_carriage_return": f"{OK}X-One: 1\rX-Two: 2\r\n{TWO_BYTES}",
    "folded_header": f"{OK}X-One: 1\r\n  folded\r\n{TWO_BYTES}",
    "nul_in_a_header": f"{OK}X-One: a\0b\r\n{TWO_BYTES}",
    "nul_in_the_status_line": f"HTTP/1.1 200 O\0K\r\n{TWO_BYTES}",
    "space_before_the_colon": f"{OK}X-One : 1\r\n{TWO_BYTES}",
    "header_without_a_colon": f"{OK}X-One\r\n{TWO_BYTES}",
    "header_without_a_name": f"{OK}: 1\r\n{TWO_BYTES}",
    "control_byte_in_a_name": f"{OK}X\x01One: 1\r\n{TWO_BYTES}",
    "space_before_the_first_header": f"{OK} X-One: 1\r\n{TWO_BYTES}",
    "no_status_line": TWO_BYTES,
    "http_0_9": "<html>hello</html>\r\n",
    "version_2_0": f"HTTP/2.0 200 OK\r\n{TWO_BYTES}",
    "version_1_2": f"HTTP/1.2 200 OK\r\n{TWO_BYTES}",
    "version_with_two_digits": f"HTTP/1.10 200 OK\r\n{TWO_BYTES}",
    "another_protocol": f"ICY 200 OK\r\n{TWO_BYTES}",
    "status_of_two_digits": f"HTTP/1.1 20 OK\r\n{TWO_BYTES}",
    "status_of_four_digits": f"HTTP/1.1 2000 OK\r\n{TWO_BYTES}",
    "status_of_letters": f"HTTP/1.1 2OO OK\r\n{TWO_BYTES}",
    "status_below_100": f"HTTP/1.1 099 Low\r\n{TWO_BYTES}",
    "status_above_599": f"HTTP/1.1 600 High\r\n{TWO_BYTES}",
    "mail_server": "220 mail.example ESMTP\r\n",
    "ssh_server": "SSH-2.0-OpenSSH_9.2\r\n",
    "tls_on_a_plain_port": "\x15\x03\x03\x00\x02\x02\x28",
    "binary_noise": bytes(range(128, 256)).decode("latin-1") * 8,
}


def says(text):
    def play(connection):
        connection.read_request()
        connection.send(text)
        connection.stay()

    return play


for _name, _text in MALFORMED.items():
    add(says(_text), "protocol_error", name=_name)


@receiver("response", status=599)
def status_nobody_knows(connection):
    connection.read_request()
    connection.send(f"HTTP/1.1 599 Whatever\r\n{TWO_BYTES}")
    connection.stay()


@receiver("response", status=200)
def empty_reason(connection):
    connection.read_request()
    connection.send(f"HTTP/1.1 200 \r\n{TWO_BYTES}")
    connection.stay()
