"""A network of one's own, in which every address of the world is this machine.

Inside, any connect to any address and any of the listened ports succeeds, so a guard that lets one
through is seen by whoever listens and by the packet counters, and nothing leaves the machine.
"""

import os
import subprocess
import sys

INSIDE = "POSTRIDER_TEST_NAMESPACE"


def enter():
    """Runs the calling script again inside; returns there. Ends with words if that cannot be."""
    if os.environ.get(INSIDE) == "1":
        command("ip", "link", "set", "lo", "up")
        command("ip", "route", "add", "local", "default", "dev", "lo")
        command("ip", "-6", "route", "add", "local", "default", "dev", "lo")
        return
    options = ["--net"] if os.geteuid() == 0 else ["--map-root-user", "--net"]
    probe = subprocess.run(["unshare", *options, "true"], capture_output=True, text=True, check=False)
    if probe.returncode != 0:
        sys.exit(
            "This test needs a network namespace: run it as root, or allow user namespaces.\n"
            + probe.stderr
        )
    os.environ[INSIDE] = "1"
    os.execvp("unshare", ["unshare", *options, sys.executable, "-B", *sys.argv])


def command(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stderr}")
    return done.stdout


class PacketCounter:
    """Counts what leaves for `target`, an address or a block; only TCP handshakes if asked so."""

    def __init__(self, target, handshakes_only=False):
        self._program = "ip6tables-legacy" if ":" in target else "iptables-legacy"
        self._target = target
        match = ["-p", "tcp", "--syn"] if handshakes_only else []
        command(self._program, "-A", "OUTPUT", "-d", target, *match)
        rules = command(self._program, "-S", "OUTPUT").splitlines()
        self._rule = len(rules) - 2  # the first line is the policy

    def count(self):
        table = command(self._program, "-L", "OUTPUT", "-v", "-n", "-x").splitlines()
        return int(table[2 + self._rule].split()[0])


def handshakes():
    """Counters of every TCP connection that anybody tries to open, IPv4 and IPv6."""
    return [PacketCounter("0.0.0.0/0", True), PacketCounter("::/0", True)]
