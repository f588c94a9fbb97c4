"""However an address inside is spelled, nobody there ever hears from us.

Usage: DRIVER INTERNAL_URLS. In a network namespace where every address is this machine, each URL of
tests/guard/internal_urls.cc goes through the whole client. Listeners count connections, the packet
filter counts handshakes to anywhere.
"""

import json
import subprocess
import sys
import unittest
from collections import Counter

import namespace
from outbound import Driver, run_all
from receivers.listener import Listener
from receivers.names import AAAA, NameServer, address

PROGRAM, INTERNAL_URLS = sys.argv[1:3]

PORTS = (80, 443, 8080)
GUARD_OFF = ("--allow", "0.0.0.0/0", "--allow", "::/0", "--allow-link-local")
URLS_MIN = 500
CONTROL_SHARE = 5  # of the URLs every fifth shows that connects would be seen
WIDTH = 50
# What may come of such a URL: the parser refuses it, or the guard does.
REFUSALS = {"url_refused", "address_refused"}


def internal_urls():
    done = subprocess.run([INTERNAL_URLS, "8080"], capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def inside(_name, kind):
    """Every name in the world leads inside."""
    return [address("::1" if kind == AAAA else "127.0.0.1")]


def answers_and_closes(connection):
    """Plain HTTP, also to those who speak TLS: that ends soon as well."""
    connection.socket.recv(4096)
    connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")


class InternalUrls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.urls = internal_urls()
        cls.names = NameServer(inside)
        cls.listeners = [
            Listener(answers_and_closes, host="::", port=port, dualstack=True) for port in PORTS
        ]
        cls.handshakes = namespace.handshakes()

    @classmethod
    def tearDownClass(cls):
        for listener in cls.listeners:
            listener.close()
        cls.names.close()

    def send(self, urls, *options):
        """Kinds of outcomes, connections seen by the listeners, handshakes seen by the filter."""
        connections = sum(listener.connections for listener in self.listeners)
        packets = sum(counter.count() for counter in self.handshakes)
        driver = Driver(PROGRAM, "--dns", f"127.0.0.1:{self.names.port}", *options)
        jobs = [{"url": url, "body_bytes": 16, "deadline_ms": 300} for url in urls]
        outcomes = run_all(driver, jobs, WIDTH)
        driver.close()
        return (
            Counter(outcome["kind"] for outcome in outcomes),
            sum(listener.connections for listener in self.listeners) - connections,
            sum(counter.count() for counter in self.handshakes) - packets,
        )

    def test_none_leads_to_a_connect(self):
        self.assertGreaterEqual(len(self.urls), URLS_MIN)
        kinds, connections, packets = self.send(self.urls)
        print(f"{len(self.urls)} URLs: {dict(kinds)}, {connections} connects, {packets} handshakes")
        self.assertEqual((connections, packets), (0, 0))
        self.assertLessEqual(set(kinds), REFUSALS)
        self.assertEqual(sum(kinds.values()), len(self.urls))

    def test_many_do_when_the_guard_is_off(self):
        kinds, connections, packets = self.send(self.urls[::CONTROL_SHARE], *GUARD_OFF)
        print(f"guard off: {dict(kinds)}, {connections} connects, {packets} handshakes")
        self.assertGreater(connections, URLS_MIN // 10)
        self.assertGreater(packets, URLS_MIN // 10)


if __name__ == "__main__":
    namespace.enter()
    unittest.main(argv=sys.argv[:1])
