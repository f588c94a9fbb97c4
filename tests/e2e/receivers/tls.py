"""Receivers that TLS must tell apart from the right one, and receivers that misuse TLS itself."""

import ssl
import struct
import warnings

from .certificates import HOST
from .listener import ClientGone
from .table import add, receiver

OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
ALERT_HANDSHAKE_FAILURE = b"\x15\x03\x03\x00\x02\x02\x28"


def answers(connection):
    while True:
        connection.read_request()
        connection.send(OK)


# name: the chain that is shown, the host of the URL, the reason if it must be refused.
MATRIX = {
    "tls_valid": ("valid", HOST, ""),
    "tls_wildcard": ("wildcard", HOST, ""),
    "tls_address": ("address", "127.0.0.1", ""),
    "tls_through_intermediate": ("through_intermediate", HOST, ""),
    "tls_expired": ("expired", HOST, "certificate_expired"),
    "tls_not_yet_valid": ("not_yet_valid", HOST, "certificate_not_yet_valid"),
    "tls_self_signed": ("self_signed", HOST, "self_signed"),
    "tls_wrong_host": ("wrong_host", HOST, "wrong_host"),
    "tls_cn_only": ("cn_only", HOST, "wrong_host"),
    "tls_wildcard_too_wide": ("wildcard_too_wide", HOST, "wrong_host"),
    "tls_wildcard_within_a_label": ("wildcard_within_a_label", HOST, "wrong_host"),
    "tls_nul_in_name": ("nul_in_name", HOST, "wrong_host"),
    "tls_wrong_address": ("wrong_address", "127.0.0.1", "wrong_host"),
    "tls_address_as_name": ("address_as_name", "127.0.0.1", "wrong_host"),
    "tls_name_for_address": ("valid", "127.0.0.1", "wrong_host"),
    "tls_address_for_name": ("address", HOST, "wrong_host"),
    "tls_untrusted_root": ("untrusted_root", HOST, "incomplete_chain"),
    "tls_untrusted_root_shown": ("untrusted_root_shown", HOST, "untrusted_root"),
    "tls_missing_intermediate": ("missing_intermediate", HOST, "incomplete_chain"),
    "tls_expired_intermediate": ("expired_intermediate", HOST, "certificate_expired"),
    "tls_issuer_is_no_authority": ("issuer_is_no_authority", HOST, "invalid_certificate"),
    "tls_name_constraints": ("forbidden_by_name_constraints", HOST, "invalid_certificate"),
    "tls_for_clients_only": ("for_clients_only", HOST, "invalid_certificate"),
    "tls_weak_key": ("weak_key", HOST, "invalid_certificate"),
    "tls_sha1": ("sha1", HOST, "invalid_certificate"),
}

for _name, (_chain, _host, _reason) in MATRIX.items():
    _kind = "tls_failed" if _reason else "response"
    add(
        answers,
        _kind,
        name=_name,
        status=0 if _reason else 200,
        certificate=_chain,
        host=_host,
        reason=_reason,
    )

_VARIATIONS = {"certificate": "valid", "host": HOST}
add(answers, "tls_failed", name="tls_1_0_only", tls="1.0", reason="tls_version", **_VARIATIONS)
add(answers, "tls_failed", name="tls_1_1_only", tls="1.1", reason="tls_version", **_VARIATIONS)
add(answers, "response", status=200, name="tls_1_2_only", tls="1.2", **_VARIATIONS)
for _name, _tls in (
    ("tls_1_2_client_wanted", "1.2 asks for a client"),
    ("tls_1_3_client_wanted", "asks for a client"),
):
    add(
        answers, "tls_failed", name=_name, tls=_tls, reason="client_certificate", **_VARIATIONS
    )
add(
    answers,
    "tls_failed",
    name="tls_wrong_client_shown",
    tls="asks for a client",
    client="stranger",
    reason="client_certificate",
    **_VARIATIONS,
)
add(
    answers,
    "response",
    status=200,
    name="tls_client_shown",
    tls="asks for a client",
    client="client",
    **_VARIATIONS,
)
add(
    answers,
    "response",
    status=200,
    name="tls_keep_alive",
    attempts=2,
    connections=1,
    **_VARIATIONS,
)


@receiver("reset", **_VARIATIONS)
def tls_resets_after_the_handshake(connection):
    connection.reset()


@receiver("reset", reason="in_head", **_VARIATIONS)
def tls_resets_in_the_middle_of_the_head(connection):
    connection.read_request()
    connection.send("HTTP/1.1 200 OK\r\nX-One: ")
    connection.pause(0.05)
    connection.reset()


@receiver("response", status=200, **_VARIATIONS)
def tls_cut_off_in_the_body(connection):
    """Ends without a close_notify, as an attacker could end it."""
    connection.read_request()
    connection.send("HTTP/1.1 200 OK\r\n\r\nok")
    connection.pause(0.05)


@receiver("response", status=200, **_VARIATIONS)
def tls_endless_body(connection):
    connection.read_request()
    connection.send("HTTP/1.1 200 OK\r\n\r\n")
    while True:
        connection.send(b"x" * 16384)


@receiver("timeout", reason="in_head", takes="the deadline", **_VARIATIONS)
def tls_never_answers(connection):
    connection.stay()


@receiver("timeout", reason="in_head", takes="the deadline", **_VARIATIONS)
def tls_one_byte_a_record(connection):
    connection.read_request()
    connection.drip(OK, seconds=1.0)


# What follows plays the bytes of TLS by hand, on a plain listener.


def read_client_hello(connection):
    head = connection.socket.recv(5)
    if len(head) < 5:
        raise ClientGone
    left = struct.unpack(">H", head[3:])[0]
    while left > 0:
        part = connection.socket.recv(left)
        if not part:
            raise ClientGone
        left -= len(part)


_BY_HAND = {"host": HOST, "tls": "by hand"}


@receiver("tls_failed", reason="handshake", **_BY_HAND)
def tls_plain_text_reply(connection):
    """An HTTP server on the port: the client speaks TLS, the receiver answers 400."""
    read_client_hello(connection)
    connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    connection.stay()


@receiver("tls_failed", reason="handshake", **_BY_HAND)
def tls_alert_in_the_handshake(connection):
    read_client_hello(connection)
    connection.send(ALERT_HANDSHAKE_FAILURE)
    connection.stay()


@receiver("tls_failed", reason="handshake", **_BY_HAND)
def tls_noise_in_the_handshake(connection):
    read_client_hello(connection)
    connection.send(b"\x16\x03\x03\x40\x00" + b"\xff" * 0x4000)
    connection.stay()


@receiver("reset", reason="in_tls", **_BY_HAND)
def tls_closes_in_the_handshake(connection):
    read_client_hello(connection)
    connection.finish_sending()
    connection.stay()


@receiver("reset", reason="in_tls", **_BY_HAND)
def tls_resets_in_the_handshake(connection):
    read_client_hello(connection)
    connection.reset()


@receiver("timeout", reason="in_tls", takes="the deadline", **_BY_HAND)
def tls_silent_in_the_handshake(connection):
    connection.stay()


@receiver("timeout", reason="in_tls", takes="the deadline", **_BY_HAND)
def tls_one_byte_of_the_handshake_a_second(connection):
    read_client_hello(connection)
    connection.drip("\x16\x03\x03\x00\x7a\x02\x00\x00\x76\x03\x03", seconds=1.0)


def server_context(certificates, row):
    """The receiver's side of TLS for this row of the table."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_ciphers("ALL:@SECLEVEL=0")  # the receiver is as weak as the test needs it
    context.load_cert_chain(*certificates.chain(row.certificate))
    version = {"1.0": "TLSv1", "1.1": "TLSv1_1", "1.2": "TLSv1_2"}.get(row.tls[:3])
    if version:
        with warnings.catch_warnings(action="ignore"):  # old versions are what is wanted
            context.minimum_version = ssl.TLSVersion[version]
            context.maximum_version = ssl.TLSVersion[version]
    if row.tls.endswith("asks for a client"):
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(certificates.certificate("root"))
    return context
