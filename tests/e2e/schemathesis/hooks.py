"""What Schemathesis cannot read out of the description of the API.

How texts of formats of our own look, how NDJSON is written and read, and which rules hold between fields: no schema
can say that `until` is later than `from`. A case that is meant to be right is put right by these rules; one that is
meant to be wrong is left as it is. Nothing here hides an answer.
"""

import copy
import datetime
import itertools
import json
import os
import re
import string

import schemathesis
from hypothesis import strategies as st
from schemathesis.core.parameters import ParameterLocation

NDJSON = "application/x-ndjson"
RECEIVER = os.environ["POSTRIDER_RECEIVER"]  # the only place that webhooks may go to
TENANT = os.environ["POSTRIDER_TENANT"]  # the one that the run acts in
OWN_KEY = os.environ["POSTRIDER_OWN_KEY"]  # the id of the key that this run uses
NOBODYS_KEY = "key_00000000000000ff"
SUBSCRIPTIONS_FILE = os.environ["POSTRIDER_SUBSCRIPTIONS_FILE"]  # what receivers come to know goes there
CERTIFICATE = os.environ["POSTRIDER_CERTIFICATE"]
CERTIFICATE_KEY = os.environ["POSTRIDER_CERTIFICATE_KEY"]

# Beyond 11 retries the default unit times 2^n would be more than a year.
RETRIES_BY_FORMULA = 11
RESERVED_HEADERS = {
    "accept-encoding", "connection", "content-encoding", "content-length", "content-type", "expect", "host",
    "http2-settings", "keep-alive", "te", "traceparent", "tracestate", "trailer", "transfer-encoding", "upgrade",
    "user-agent",
}  # fmt: skip
RESERVED_PREFIXES = ("postrider-", "proxy-", "webhook-")
UNITS = {"d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1000, "ms": 1}

numbers = itertools.count(1)


# --- Formats ---


def durations(least_ms, most_ms):
    return st.integers(least_ms, most_ms).map(lambda ms: f"{ms}ms")


paths = st.text(alphabet=string.ascii_lowercase + string.digits, max_size=8)
schemathesis.openapi.format("webhook-url", paths.map(lambda path: f"{RECEIVER}/{path}"))
schemathesis.openapi.format("attempt-deadline", durations(100, 300_000))
schemathesis.openapi.format("rate-period", durations(1, 86_400_000))
schemathesis.openapi.format("retry-delay", durations(1, 10_000_000))
schemathesis.openapi.format("secret-overlap", durations(0, 2_592_000_000))
schemathesis.openapi.format("pem-certificate", st.just(CERTIFICATE))
schemathesis.openapi.format("pem-private-key", st.just(CERTIFICATE_KEY))


# --- NDJSON ---


@schemathesis.serializer(NDJSON)
def write_lines(context, value):
    events = value if isinstance(value, list) else [value]
    return "".join(json.dumps(event) + "\n" for event in events).encode()


@schemathesis.deserializer(NDJSON)
def read_lines(context, response):
    return [json.loads(line) for line in response.content.splitlines()]


# --- Rules between fields ---


def duration_ms(text):
    return sum(int(count) * UNITS[unit] for count, unit in re.findall(r"(\d+)(ms|[dhms])", text))


def today():
    return datetime.datetime.now(datetime.timezone.utc).date().isoformat()


def obey_retry(case, body):
    """The last retry is at most 366 days away; delays grow."""
    retry = body.get("retry")
    if not isinstance(retry, dict):
        return
    if retry.get("delays"):
        by_length = {duration_ms(delay): delay for delay in retry["delays"]}
        retry["delays"] = [by_length[length] for length in sorted(by_length)]
    elif retry.get("max_retries") is not None:
        retry["max_retries"] = min(retry["max_retries"], RETRIES_BY_FORMULA)


def obey_headers(case, body):
    """No name twice, whatever its case; none of the server's own; a token is an Authorization already."""
    headers = body.get("headers")
    if not isinstance(headers, dict):
        return
    kept = {}
    for name, value in headers.items():
        small = name.lower()
        is_taken = small in RESERVED_HEADERS or small.startswith(RESERVED_PREFIXES)
        if not is_taken and not (small == "authorization" and body.get("bearer_token")):
            kept.setdefault(small, (name, value))
    body["headers"] = dict(kept.values())


def obey_expiry(case, body):
    """A key expires in the future."""
    if body.get("expires_at") and body["expires_at"][:10] <= today():
        body["expires_at"] = "2999-01-01T00:00:00Z"


def obey_rotation(case, body):
    """A new secret is of the subscription's scheme, which the case does not know; an overlap is a duration."""
    if not case.operation.path.endswith("/rotate-secret"):
        return
    body.pop("secret", None)
    # Some texts are made without regard to the format, which a schema only names.
    overlap = body.get("overlap")
    if isinstance(overlap, str) and not re.fullmatch(r"\d+ms", overlap):
        body["overlap"] = "24h"


def obey_idempotency(case):
    """The header names one event, and says the same as its id."""
    has_id = isinstance(case.body, dict) and "id" in case.body
    if case.operation.path == "/v1/events" and (has_id or case.media_type == NDJSON):
        for name in [name for name in case.headers or {} if name.lower() == "idempotency-key"]:
            del case.headers[name]


def obey_times(case):
    """from is before until; figures are of at most 31 days, and of one thing."""
    query = case.query
    if case.operation.path not in ("/v1/stats", "/v1/deliveries") or not query:
        return
    is_stats = case.operation.path == "/v1/stats"
    if query.get("from") and (query.get("until") or is_stats):
        day = query["until"][:10] if query.get("until") else today()
        query["from"] = f"{day}T00:00:00Z"
        if query.get("until"):
            query["until"] = f"{day}T23:00:00Z"
    if is_stats and query.get("endpoint") and query.get("subscription"):
        del query["subscription"]


def obey_numbers(case):
    """To JSON 5.0 is a whole number; in a query it is a text that reads otherwise."""
    for name, value in (case.query or {}).items():
        if isinstance(value, float) and value.is_integer():
            case.query[name] = int(value)


BODY_RULES = (obey_retry, obey_headers, obey_expiry, obey_rotation)


def is_meant_to_be_right(case):
    return case.meta is not None and case.meta.generation.mode.is_positive


def act_in_a_tenant(case):
    """A tenant that exists; of any other there would be nothing to see but 404."""
    is_negated = case.meta is not None and case.meta.is_negative_at(ParameterLocation.HEADER)
    if not is_negated and "Postrider-Tenant" in (case.headers or {}):
        case.headers["Postrider-Tenant"] = TENANT


def stay_inside(body):
    """Webhooks go to the receiver of the test, also those of examples, and no two subscriptions are the same."""
    url = body.get("url")
    if isinstance(url, str) and re.match(r"https?://", url):
        body["url"] = f"{RECEIVER}/{next(numbers)}"


@schemathesis.hook
def map_case(context, case):
    is_right = is_meant_to_be_right(case)  # asked first: what is changed is judged anew
    if isinstance(case.body, dict):
        case.body = copy.deepcopy(case.body)
        stay_inside(case.body)
    act_in_a_tenant(case)
    if is_right:
        if isinstance(case.body, dict):
            for rule in BODY_RULES:
                rule(case, case.body)
        obey_idempotency(case)
        obey_times(case)
        obey_numbers(case)
    return case


@schemathesis.hook
def filter_case(context, case):
    """Lines are refused one by one, within an answer of 207: no request of lines is wrong as a whole."""
    return case.media_type != NDJSON or is_meant_to_be_right(case)


@schemathesis.hook
def before_call(context, case, kwargs):
    """Nobody saws off the branch he sits on: the key of this run is not revoked."""
    if case.operation.path == "/v1/keys/{id}" and (case.path_parameters or {}).get("id") == OWN_KEY:
        case.path_parameters = {**case.path_parameters, "id": NOBODYS_KEY}


@schemathesis.hook
def after_call(context, case, response):
    """The receiver of the test verifies what it gets; for that it needs the secrets that are shown here."""
    if case.operation.path.startswith("/v1/subscriptions") and response.status_code in (200, 201):
        with open(SUBSCRIPTIONS_FILE, "ab") as file:
            file.write(response.content.strip() + b"\n")
