"""Disks that can be cut off, frozen, filled: loop-mounted images and small memory file systems.

The drills run in a mount namespace of their own (see enter_own_namespace), so that whatever becomes
of them, the kernel takes every mount and loop device back.
"""

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMESPACE_MARK = "POSTRIDER_DRILL_NAMESPACE"
# What XFS asks for at least is 300 MB; the images are sparse.
IMAGE_BYTES = 512 << 20
RAM_BYTES_NEEDED = 2 << 30
COMMAND_SECONDS = 60


class Unable(Exception):
    """This machine cannot do what the drill needs. A reason to fail, not to skip."""


def run(*command):
    result = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        check=False,
    )
    if result.returncode != 0:
        raise Unable(f"`{' '.join(map(str, command))}` failed: {result.stderr.strip()}")
    return result.stdout


def need(*programs):
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        raise Unable(f"not installed: {', '.join(missing)}; script/setup installs what is needed")
    if os.geteuid() != 0:
        raise Unable("mounting needs root; run the drill as root")


def enter_own_namespace():
    """Starts this program again with mounts of its own, unless that has happened."""
    # Nobody else is to find the mark: a server takes it for a setting that it does not know.
    if os.environ.pop(NAMESPACE_MARK, None):
        return
    need("unshare", "mount")
    os.environ[NAMESPACE_MARK] = "1"
    os.execvp(
        "unshare",
        ["unshare", "--mount", "--propagation", "private", sys.executable, "-B", *sys.argv],
    )


def image_folder(work):
    """Memory if there is enough of it: the cut is in the file system, not in what is below it."""
    with contextlib.suppress(OSError):
        space = os.statvfs("/dev/shm")
        if space.f_bavail * space.f_frsize >= RAM_BYTES_NEEDED:
            return Path("/dev/shm")
    return work


@contextlib.contextmanager
def memory_folder(context):
    """A folder in memory, if there is enough of it; gone afterwards."""
    folder = image_folder(context.work) / f"postrider-drill-{os.getpid()}"
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class LoopDisk:
    """A file system in an image file."""

    def __init__(self, work, kind):
        need("xfs_io", f"mkfs.{kind}", "mount", "umount", "losetup")
        self.kind = kind
        self.mount_point = Path(work) / f"{kind}-disk"
        self.mount_point.mkdir(exist_ok=True)
        self._image = image_folder(work) / f"postrider-drill-{os.getpid()}-{kind}.img"
        with self._image.open("wb") as image:
            image.truncate(IMAGE_BYTES)
        quick = ["-E", "lazy_itable_init=1,lazy_journal_init=1"] if kind == "ext4" else []
        run(f"mkfs.{kind}", "-q", *quick, self._image)
        self._mount()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(Unable):
            run("umount", self.mount_point)
        self._image.unlink(missing_ok=True)

    def _mount(self):
        run("mount", "-o", "loop", "-t", self.kind, self._image, self.mount_point)

    def _remount(self):
        run("umount", self.mount_point)
        self._mount()

    def cut_power(self, flush_journal=False):
        """What was not synced is gone; then the machine boots. Kill the writers first."""
        run("xfs_io", "-x", "-c", "shutdown -f" if flush_journal else "shutdown", self.mount_point)
        self._remount()

    def freeze_for(self, seconds):
        """The disk hangs. Thaws by itself, even if nobody is left who would wait for it."""
        return subprocess.Popen(
            [
                "sh",
                "-c",
                'fsfreeze -f "$1" && echo frozen && sleep "$2"; fsfreeze -u "$1"',
                "freeze",
                str(self.mount_point),
                str(seconds),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def make_read_only(self):
        """As ext4 does it by itself when it meets an error it does not trust."""
        assert self.kind == "ext4"
        device = run("findmnt", "-n", "-o", "SOURCE", self.mount_point).strip()
        run("mount", "-o", "remount,errors=remount-ro", self.mount_point)
        Path(f"/sys/fs/ext4/{Path(device).name}/trigger_fs_error").write_text("drill")

    def replace_disk(self):
        """What an operator does after that: checks it, mounts it again."""
        run("umount", self.mount_point)
        subprocess.run(["fsck.ext4", "-p", str(self._image)], capture_output=True, check=False)
        self._mount()


class SmallDisk:
    """A file system in memory that is soon full."""

    FILLER_CHUNK = 1 << 20

    def __init__(self, work, size):
        need("mount", "umount")
        self.mount_point = Path(work) / "small-disk"
        self.mount_point.mkdir(exist_ok=True)
        run("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", self.mount_point)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(Unable):
            run("umount", self.mount_point)

    def put_ballast(self, size):
        with (self.mount_point / "ballast").open("wb") as ballast:
            os.posix_fallocate(ballast.fileno(), 0, size)

    def drop_ballast(self):
        (self.mount_point / "ballast").unlink()

    def fill_to_the_last_byte(self):
        with (self.mount_point / "filler").open("ab", buffering=0) as filler:
            for size in (self.FILLER_CHUNK, 4096, 1):
                with contextlib.suppress(OSError):
                    while filler.write(b"x" * size):
                        pass

    def free(self):
        (self.mount_point / "filler").unlink()

    def clear(self):
        for name in ("ballast", "filler"):
            (self.mount_point / name).unlink(missing_ok=True)
