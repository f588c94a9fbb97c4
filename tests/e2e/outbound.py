"""Speaks with tests/e2e/outbound_driver.cc: attempts in, outcomes out, one JSON object a line."""

import itertools
import json
import os
import subprocess
import threading

# AddressSanitizer keeps freed memory in quarantine; the resident size should mean something.
ENVIRONMENT = {"ASAN_OPTIONS": "quarantine_size_mb=1:malloc_context_size=2"}


class Driver:
    def __init__(self, program, *options):
        self._process = subprocess.Popen(
            [program, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **ENVIRONMENT},
        )
        self._ids = itertools.count(1)
        self._changed = threading.Condition()
        self._answers = {}
        self._ended = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def start(self, **fields):
        """Begins an attempt, or whatever `fields` ask for; the id is for wait()."""
        number = next(self._ids)
        line = json.dumps({"id": number, **fields}) + "\n"
        self._process.stdin.write(line.encode())
        self._process.stdin.flush()
        return number

    def wait(self, number, patience=30.0):
        with self._changed:
            self._changed.wait_for(lambda: number in self._answers or self._ended, patience)
            if number not in self._answers:
                raise RuntimeError(
                    f"no answer to request {number}; the driver "
                    + ("has ended" if self._ended else f"is silent for {patience} s")
                )
            return self._answers.pop(number)

    def attempt(self, **fields):
        return self.wait(self.start(**fields))

    def stats(self):
        """rss_kib, in_flight (attempts), connections (open), idle (of them waiting for reuse)."""
        return self.attempt(command="stats")

    def close(self):
        self._process.stdin.close()
        code = self._process.wait(30)
        self._reader.join()
        self._process.stdout.close()
        if code != 0:
            raise RuntimeError(f"the driver ended with {code}")

    def _read(self):
        for line in self._process.stdout:
            answer = json.loads(line)
            with self._changed:
                self._answers[answer.pop("id")] = answer
                self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()


def run_all(driver, jobs, width):
    """Runs every job, about `width` at once; the outcomes come in the order of the jobs."""
    started, outcomes = [], []
    for job in jobs:
        if len(started) - len(outcomes) >= width:
            outcomes.append(driver.wait(started[len(outcomes)]))
        started.append(driver.start(**job))
    return outcomes + [driver.wait(number) for number in started[len(outcomes) :]]
