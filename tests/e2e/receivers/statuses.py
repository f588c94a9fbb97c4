"""Receivers that answer properly, with something that must not be obeyed or must be understood."""

from datetime import UTC, datetime, timedelta

from .table import add

REDIRECTS = range(300, 309)
INTERNAL_TARGETS = (
    "http://127.0.0.1:{port}/",
    "http://localhost:{port}/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::1]:{port}/",
    "//127.0.0.1:{port}/",
    "/elsewhere",
    "http://2130706433:{port}/",
    "https://127.0.0.1:{port}/",
    "file:///etc/passwd",
)


def redirects(status, target):
    def play(connection):
        """Location, Refresh, Alt-Svc: nothing of it is followed."""
        connection.read_request()
        place = target.format(port=connection.listener.port)
        connection.send(
            f"HTTP/1.1 {status} Elsewhere\r\nLocation: {place}\r\nRefresh: 0; url={place}\r\n"
            f"Content-Location: {place}\r\n"
            f'Alt-Svc: h2=":{connection.listener.port}"\r\nContent-Length: 0\r\n\r\n'
        )
        connection.stay()

    return play


for _status, _target in zip(REDIRECTS, INTERNAL_TARGETS, strict=True):
    add(redirects(_status, _target), "response", status=_status, name=f"redirect_{_status}")


def in_an_hour(form):
    return lambda: (datetime.now(UTC) + timedelta(hours=1)).strftime(form)


HOUR = 3600
RETRY_AFTER = {
    "in_seconds": (lambda: "120", 120),
    "zero": (lambda: "0", 0),
    "as_a_date": (in_an_hour("%a, %d %b %Y %H:%M:%S GMT"), HOUR),
    "as_an_old_date": (in_an_hour("%A, %d-%b-%y %H:%M:%S GMT"), HOUR),
    "as_an_asctime_date": (in_an_hour("%a %b %e %H:%M:%S %Y"), HOUR),
    "in_words": (lambda: "soon", None),
    "negative": (lambda: "-120", None),
    "with_a_fraction": (lambda: "1.5", None),
    "empty": (lambda: "", None),
}


def asks_for_patience(status, value):
    def play(connection):
        connection.read_request()
        connection.send(
            f"HTTP/1.1 {status} Later\r\nRetry-After: {value()}\r\nContent-Length: 0\r\n\r\n"
        )
        connection.stay()

    return play


for _form, (_value, _seconds) in RETRY_AFTER.items():
    for _status in (429, 503):
        add(
            asks_for_patience(_status, _value),
            "response",
            status=_status,
            retry_after=_seconds,
            name=f"retry_after_{_form}_{_status}",
        )


def answers(status, headers=""):
    def play(connection):
        while True:
            connection.read_request()
            connection.send(f"HTTP/1.1 {status} Whatever\r\n{headers}Content-Length: 0\r\n\r\n")

    return play


for _status in (200, 202, 299, 400, 401, 404, 410, 500, 502, 504):
    add(answers(_status), "response", status=_status, name=f"status_{_status}")

add(
    answers(401, 'WWW-Authenticate: Basic realm="x"\r\n'),
    "response",
    status=401,
    name="asks_for_a_password",
)
add(
    answers(407, 'Proxy-Authenticate: Basic realm="x"\r\n'),
    "response",
    status=407,
    name="asks_for_a_proxy_password",
)
add(answers(408), "response", status=408, name="asks_to_send_it_again")
add(answers(421), "response", status=421, name="misdirected")
add(answers(200, "Set-Cookie: a=b\r\n"), "response", status=200, name="sets_a_cookie")
add(answers(304), "response", status=304, name="not_modified")
