"""The driver process, seen from outside: started, listened to, killed."""

import fcntl
import os
import select
import signal
import subprocess
import tempfile
import time

PIPE_BYTES = 1 << 20
PATIENCE_SECONDS = 30.0


class DriverFault(Exception):
    """The driver did what no fault may make it do: it died by itself, or went silent."""


class Driver:
    def __init__(self, binary, mode, directory, hear, environment=None, **options):
        arguments = [str(binary), mode, str(directory)]
        arguments += [f"{name}={value}" for name, value in options.items()]
        self._errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, **(environment or {})},
        )
        self._output = self.process.stdout.fileno()
        fcntl.fcntl(self._output, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        os.set_blocking(self._output, False)
        self._hear = hear
        self._partial = b""
        self._is_silent = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def errors(self):
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")[-2000:]

    # --- listening --------------------------------------------------------------------------------

    def listen(self, seconds):
        """Hears what comes within this time, but returns early when something came."""
        if self._is_silent:
            return False
        ready, _, _ = select.select([self._output], [], [], max(0.0, seconds))
        if not ready:
            return False
        return self._read()

    def _read(self):
        try:
            chunk = os.read(self._output, PIPE_BYTES)
        except BlockingIOError:
            return False
        if not chunk:
            self._is_silent = True
            return False
        *lines, self._partial = (self._partial + chunk).split(b"\n")
        for line in lines:
            self._hear(line.decode())
        return True

    def listen_for(self, seconds):
        deadline = time.monotonic() + seconds
        while not self._is_silent and time.monotonic() < deadline:
            self.listen(deadline - time.monotonic())

    def listen_until(self, condition, what, seconds=PATIENCE_SECONDS):
        deadline = time.monotonic() + seconds
        while not condition():
            left = deadline - time.monotonic()
            if self._is_silent:
                raise DriverFault(f"the driver ended before {what}: {self._how_it_ended()}")
            if left <= 0:
                raise DriverFault(f"no sign of {what} within {seconds} s; {self.errors()}")
            self.listen(min(left, 0.1))

    def listen_to_the_end(self, seconds=PATIENCE_SECONDS):
        """Waits for the process to end by itself; returns its exit status (-n: by signal n)."""
        deadline = time.monotonic() + seconds
        while not self._is_silent:
            left = deadline - time.monotonic()
            if left <= 0:
                self.kill()
                raise DriverFault(f"the driver did not end within {seconds} s; {self.errors()}")
            self.listen(left)
        return self.process.wait(timeout=seconds)

    def _how_it_ended(self):
        return f"status {self.process.wait(timeout=PATIENCE_SECONDS)}; {self.errors()}"

    # --- ending -----------------------------------------------------------------------------------

    def signal_kill(self):
        self.process.send_signal(signal.SIGKILL)

    def kill(self):
        """SIGKILL, and everything that it said before is heard. False if it was dead already."""
        was_alive = self.process.poll() is None
        if was_alive:
            self.signal_kill()
            self.process.wait(timeout=PATIENCE_SECONDS)
        while not self._is_silent and self._read():
            pass
        if not self._is_silent:
            self._is_silent = True
            self.process.stdout.close()
        return was_alive
