"""Subscriptions, keys and tenants of `postrider serve`, by the binary and its sockets. Usage: PROGRAM"""

import sys
import tempfile
import unittest

from server_rig import Receiver, Server

PROGRAM = sys.argv[1]
NOBODY = "sub_00000000000000ff"


class WithServer(unittest.TestCase):
    def setUp(self):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        self.server = Server(PROGRAM, directory)
        self.addCleanup(self.server.kill)
        self.server.start()
        self.receiver = Receiver()
        self.addCleanup(self.receiver.close)

    def call(self, method, path, body=None, **options):
        return self.server.call(method, path, body, **options)

    def new_tenant(self, name="other"):
        """A tenant, and an admin key of it."""
        tenant = self.call("POST", "/v1/tenants", {"name": name})
        self.assertEqual(tenant.status, 201, tenant.body)
        key = self.call(
            "POST",
            "/v1/keys",
            {"name": "k", "scopes": ["publish", "read", "manage"]},
            headers={"Postrider-Tenant": tenant.json["id"]},
        )
        self.assertEqual(key.status, 201, key.body)
        return tenant.json["id"], key.json["key"]


class Subscriptions(WithServer):
    def test_what_was_created_is_shown_and_listed_without_its_secret(self):
        made = self.server.subscribe(self.receiver.url(), type="order.*", bearer_token="hunter2")
        secret = made["signing"]["secret"]
        shown = self.call("GET", f"/v1/subscriptions/{made['id']}")
        listed = self.call("GET", "/v1/subscriptions")
        self.assertEqual(shown.json["type"], "order.*")
        self.assertEqual([item["id"] for item in listed.json["items"]], [made["id"]])
        for answer in (shown, listed):
            self.assertNotIn(secret.encode(), answer.body)
            self.assertNotIn(b"hunter2", answer.body)

    def test_pages_follow_each_other(self):
        ids = [self.server.subscribe(self.receiver.url(f"/{n}"))["id"] for n in range(5)]
        seen, cursor = [], ""
        while cursor is not None:
            page = self.call("GET", f"/v1/subscriptions?limit=2&cursor={cursor}").json
            seen += [item["id"] for item in page["items"]]
            cursor = page["cursor"]
        self.assertEqual(seen, ids)

    def test_duplicates_and_mistakes_are_told_by_field(self):
        self.server.subscribe(self.receiver.url())
        twin = self.call("POST", "/v1/subscriptions", {"url": self.receiver.url()})
        self.assertEqual((twin.status, twin.error["code"]), (409, "conflict"))
        unknown = self.call("POST", "/v1/subscriptions", {"url": self.receiver.url(), "fitlers": []})
        self.assertEqual((unknown.status, unknown.error["code"]), (400, "unknown_field"))
        self.assertEqual(unknown.error["field"], "fitlers")
        self.assertIn("filters", unknown.error["hint"])
        wrong = self.call("POST", "/v1/subscriptions", {"url": self.receiver.url(), "deadline": 5})
        self.assertEqual((wrong.status, wrong.error["field"]), (400, "deadline"))
        missing = self.call("POST", "/v1/subscriptions", {"type": "a"})
        self.assertEqual((missing.status, missing.error["field"]), (400, "url"))

    def test_a_filter_that_never_passes_is_answered_with_a_warning(self):
        filters = [{"fieldName": "a", "fieldValue": 1}, {"fieldName": "a", "fieldValue": 2}]
        made = self.server.subscribe(self.receiver.url(), filters=filters)
        self.assertTrue(made["warnings"])

    def test_a_change_merges_and_tells_what_waits_at_the_old_url(self):
        self.receiver.respond = lambda webhook: 500
        made = self.server.subscribe(self.receiver.url("/old"), description="d")
        self.server.publish({"a": 1})
        self.receiver.wait(1)
        moved = self.call(
            "PATCH", f"/v1/subscriptions/{made['id']}", {"url": self.receiver.url("/new")}
        )
        self.assertEqual(moved.status, 200, moved.body)
        self.assertEqual(moved.json["description"], "d")
        self.assertEqual(moved.json["revision"], 2)
        self.assertEqual(moved.json["previous_endpoint"], {"id": made["endpoint"], "unfinished": 1})
        self.assertNotIn("secret", moved.json["signing"])
        self.receiver.respond = lambda webhook: 200
        self.server.publish({"a": 2})
        hooks = self.receiver.wait(2)
        self.assertEqual([hook.path for hook in hooks], ["/old", "/new"])

    def test_a_deleted_one_gets_nothing_more(self):
        made = self.server.subscribe(self.receiver.url())
        self.assertEqual(self.call("DELETE", f"/v1/subscriptions/{made['id']}").status, 204)
        self.assertEqual(self.server.publish({"a": 1})["matched"], 0)
        self.assertEqual(self.call("GET", f"/v1/subscriptions/{made['id']}").status, 404)
        self.server.kill()
        self.server.start()
        self.assertEqual(self.call("GET", "/v1/subscriptions").json["items"], [])

    def test_deleting_and_creating_keeps_the_endpoint(self):
        made = self.server.subscribe(self.receiver.url())
        self.call("POST", f"/v1/subscriptions/{made['id']}/pause")
        self.call("DELETE", f"/v1/subscriptions/{made['id']}")
        again = self.server.subscribe(self.receiver.url())
        self.assertEqual(again["endpoint"], made["endpoint"])
        self.assertTrue(self.server.endpoint(again["endpoint"])["paused"])

    def test_both_secrets_sign_after_a_rotation(self):
        made = self.server.subscribe(self.receiver.url())
        path = f"/v1/subscriptions/{made['id']}/rotate-secret"
        rotated = self.call("POST", path, {"overlap": "1h"})
        self.assertEqual(rotated.status, 200, rotated.body)
        self.server.publish({"a": 1})
        (hook,) = self.receiver.wait(1)
        for secret in (made["signing"]["secret"], rotated.json["signing"]["secret"]):
            self.assertTrue(hook.is_signed_with(secret))
        last = self.call("POST", path, {"overlap": "0"}).json["signing"]
        self.assertEqual(len(last["secrets"]), 1)
        self.server.publish({"a": 2})
        hook = self.receiver.wait(2)[1]
        self.assertTrue(hook.is_signed_with(last["secret"]))
        self.assertFalse(hook.is_signed_with(made["signing"]["secret"]))

    def test_pause_resume_and_enable_act_on_the_endpoint(self):
        made = self.server.subscribe(self.receiver.url())
        path = f"/v1/subscriptions/{made['id']}"
        self.assertTrue(self.call("POST", f"{path}/pause").json["paused"])
        self.server.publish({"a": 1})
        self.assertTrue(self.call("POST", f"{path}/enable").json["paused"])
        self.assertEqual(self.receiver.webhooks, [])
        self.assertFalse(self.call("POST", f"{path}/resume").json["paused"])
        self.receiver.wait(1)

    def test_a_test_is_sent_once_and_counted_nowhere(self):
        made = self.server.subscribe(self.receiver.url("/test"), bearer_token="t0ken")
        path = f"/v1/subscriptions/{made['id']}/test"
        answer = self.call("POST", path)
        self.assertEqual(answer.status, 200, answer.body)
        self.assertTrue(answer.json["attempt"]["succeeded"])
        self.assertEqual(answer.json["attempt"]["status"], 200)
        (hook,) = self.receiver.wait(1)
        self.assertEqual(hook.headers["authorization"], "Bearer t0ken")
        self.assertTrue(hook.is_signed_with(made["signing"]["secret"]))
        self.assertEqual(self.call("GET", "/v1/conservation").json["created"], 0)
        self.receiver.respond = lambda webhook: 503
        self.assertEqual(self.call("POST", path).json["attempt"]["status"], 503)
        self.assertEqual(self.call("GET", "/v1/deliveries").json["items"], [])
        self.call("POST", f"/v1/subscriptions/{made['id']}/pause")
        self.assertEqual(self.call("POST", path).status, 409)


class Isolation(WithServer):
    def test_foreign_ids_are_as_good_as_none(self):
        _, key = self.new_tenant()
        made = self.server.subscribe(self.receiver.url())
        calls = [("GET", "", None), ("PATCH", "", {"type": "a"}), ("DELETE", "", None)]
        calls += [("POST", f"/{verb}", None) for verb in ("pause", "resume", "enable", "test")]
        calls += [("POST", "/rotate-secret", {})]
        for method, end, body in calls:
            foreign = self.call(method, f"/v1/subscriptions/{made['id']}{end}", body, key=key)
            nobody = self.call(method, f"/v1/subscriptions/{NOBODY}{end}", body)
            self.assertEqual((foreign.status, nobody.status), (404, 404), (method, end))
            self.assertEqual(foreign.error["message"], nobody.error["message"])
        self.assertEqual(self.call("GET", "/v1/subscriptions", key=key).json["items"], [])
        self.assertEqual(self.call("GET", f"/v1/subscriptions/{made['id']}").json["revision"], 1)

    def test_only_an_admin_acts_elsewhere(self):
        tenant, key = self.new_tenant()
        mine = self.call("GET", "/v1/subscriptions", headers={"Postrider-Tenant": tenant})
        self.assertEqual(mine.status, 200)
        own = self.call("GET", "/v1/tenants").json["items"][0]["id"]
        theirs = self.call("GET", "/v1/subscriptions", headers={"Postrider-Tenant": own}, key=key)
        self.assertEqual(theirs.status, 404)


class Keys(WithServer):
    def test_a_key_does_what_its_scopes_say_until_it_is_revoked(self):
        made = self.call("POST", "/v1/keys", {"name": "reader", "scopes": ["read"]})
        self.assertEqual(made.status, 201, made.body)
        key = made.json["key"]
        self.assertEqual(self.call("GET", "/v1/subscriptions", key=key).status, 200)
        denied = self.call("POST", "/v1/subscriptions", {"url": self.receiver.url()}, key=key)
        self.assertEqual((denied.status, denied.error["code"]), (403, "missing_scope"))
        self.assertEqual(self.call("GET", "/v1/keys", key=key).status, 403)
        self.assertNotIn(key.encode(), self.call("GET", "/v1/keys").body)
        self.assertEqual(self.call("DELETE", f"/v1/keys/{made.json['id']}").status, 204)
        self.assertEqual(self.call("GET", "/v1/subscriptions", key=key).status, 401)
        self.assertEqual(self.call("DELETE", f"/v1/keys/{made.json['id']}").status, 404)

    def test_mistakes_are_told_by_field(self):
        for body, field in (
            ({"scopes": ["read"]}, "name"),
            ({"name": "k"}, "scopes"),
            ({"name": "k", "scopes": []}, "scopes"),
            ({"name": "k", "scopes": ["raed"]}, "scopes[0]"),
            ({"name": "k", "scopes": ["read"], "expires_at": "soon"}, "expires_at"),
            ({"name": "k", "scopes": ["read"], "expires_at": "2001-01-01"}, "expires_at"),
            ({"name": "k", "scope": ["read"]}, "scope"),
        ):
            answer = self.call("POST", "/v1/keys", body)
            self.assertEqual((answer.status, answer.error["field"]), (400, field), body)

    def test_guessing_ends_in_429(self):
        statuses = [self.call("GET", "/v1/subscriptions", key="prk_x").status for _ in range(11)]
        self.assertEqual(statuses, [401] * 10 + [429])
        refused = self.call("GET", "/v1/subscriptions")
        self.assertEqual(refused.status, 429)
        self.assertGreater(int(refused.headers["Retry-After"]), 0)


class Tenants(WithServer):
    def test_a_deleted_tenant_is_gone_with_all_it_had(self):
        tenant, key = self.new_tenant()
        made = self.call("POST", "/v1/subscriptions", {"url": self.receiver.url()}, key=key).json
        event = {"type": "a.b", "payload": {"a": 1}}
        self.assertEqual(self.call("POST", "/v1/events", event, key=key).status, 202)
        self.receiver.wait(1)
        self.assertEqual(self.call("DELETE", f"/v1/tenants/{tenant}").status, 202)
        self.assertEqual(self.call("GET", "/v1/subscriptions", key=key).status, 401)
        self.assertEqual(self.call("GET", f"/v1/tenants/{tenant}").status, 404)
        self.assertEqual(
            self.call("GET", "/v1/subscriptions", headers={"Postrider-Tenant": tenant}).status, 404
        )
        self.assertEqual(self.call("GET", f"/v1/subscriptions/{made['id']}").status, 404)
        self.server.kill()
        self.server.start()
        self.assertEqual(len(self.call("GET", "/v1/tenants").json["items"]), 1)

    def test_nobody_deletes_his_own(self):
        own = self.call("GET", "/v1/tenants").json["items"][0]
        self.assertEqual(own["name"], "default")
        self.assertEqual(self.call("DELETE", f"/v1/tenants/{own['id']}").status, 409)

    def test_names_are_checked(self):
        for body in ({}, {"name": ""}, {"name": "a\nb"}, {"name": "x" * 101}, {"nam": "x"}):
            self.assertEqual(self.call("POST", "/v1/tenants", body).status, 400, body)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
