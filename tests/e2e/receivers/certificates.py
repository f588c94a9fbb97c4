"""Certificates, good and bad, made by the openssl command into a folder of the caller's.

Everything hangs from two roots: `root`, which the client is told to trust, and `other_root`, which
it is not. `chain(name)` is the pair of files that a receiver shows.
"""

import subprocess
from pathlib import Path

HOST = "host.zoo.test"

CONFIG = """
[ca]
default_ca = zoo
[zoo]
dir = {folder}
database = {folder}/index.txt
new_certs_dir = {folder}
serial = {folder}/serial
policy = any
default_md = sha256
unique_subject = no
email_in_dn = no
rand_serial = yes
copy_extensions = none
[any]
commonName = supplied
[req]
distinguished_name = any_name
prompt = no
[any_name]
[root]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
"""

NOW = ("20200101000000Z", "20491231235959Z")
PAST = ("20200101000000Z", "20200201000000Z")
FUTURE = ("20480101000000Z", "20491231235959Z")

AUTHORITY = "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n"
SERVER = "basicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\n"
CLIENT = "basicConstraints=CA:FALSE\nextendedKeyUsage=clientAuth\n"
NAMED = SERVER + f"subjectAltName=DNS:{HOST}\n"

# name: (signed by, extensions, validity).
LEAVES = {
    "valid": ("root", NAMED, NOW),
    "wildcard": ("root", SERVER + "subjectAltName=DNS:*.zoo.test\n", NOW),
    "address": ("root", SERVER + "subjectAltName=IP:127.0.0.1\n", NOW),
    "through_intermediate": ("intermediate", NAMED, NOW),
    "expired": ("root", NAMED, PAST),
    "not_yet_valid": ("root", NAMED, FUTURE),
    "wrong_host": ("root", SERVER + "subjectAltName=DNS:other.zoo.test\n", NOW),
    "cn_only": ("root", SERVER, NOW),
    "wildcard_too_wide": ("root", SERVER + "subjectAltName=DNS:*.test\n", NOW),
    "wildcard_within_a_label": ("root", SERVER + "subjectAltName=DNS:h*.zoo.test\n", NOW),
    "nul_in_name": ("root", SERVER + "subjectAltName=DER:{nul}\n", NOW),
    "wrong_address": ("root", SERVER + "subjectAltName=IP:127.0.0.2\n", NOW),
    "address_as_name": ("root", SERVER + "subjectAltName=DNS:127.0.0.1\n", NOW),
    "untrusted_root": ("other_root", NAMED, NOW),
    "untrusted_root_shown": ("other_root", NAMED, NOW),
    "missing_intermediate": ("intermediate", NAMED, NOW),
    "expired_intermediate": ("old_authority", NAMED, NOW),
    "issuer_is_no_authority": ("leaf_as_issuer", NAMED, NOW),
    "forbidden_by_name_constraints": ("constrained", NAMED, NOW),
    "for_clients_only": ("root", CLIENT + f"subjectAltName=DNS:{HOST}\n", NOW),
    "weak_key": ("root", NAMED, NOW),
    "sha1": ("root", NAMED, NOW),
    "client": ("root", CLIENT, NOW),
    "stranger": ("other_root", CLIENT, NOW),
}
INTERMEDIATES = {
    "intermediate": ("root", AUTHORITY, NOW),
    "old_authority": ("root", AUTHORITY, PAST),
    "constrained": ("root", AUTHORITY + "nameConstraints=critical,permitted;DNS:example.com\n", NOW),
    "leaf_as_issuer": ("root", SERVER + f"subjectAltName=DNS:{HOST}\n", NOW),
}
# Roots are not shown, and everything else above the leaf is, with two exceptions.
ALONE = {"missing_intermediate"}
WITH_ROOT = {"untrusted_root_shown"}
# GeneralNames with one dNSName "host.zoo.test\0.evil.test", in hex.
_NUL_NAME = f"{HOST}\0.evil.test".encode()
NUL_NAME = bytes([0x30, len(_NUL_NAME) + 2, 0x82, len(_NUL_NAME)]) + _NUL_NAME


def openssl(*words):
    done = subprocess.run(["openssl", *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"openssl {' '.join(map(str, words))}: {done.stderr}")


class Certificates:
    def __init__(self, folder):
        self.folder = Path(folder)
        self._config = self.folder / "openssl.cnf"
        self._config.write_text(CONFIG.format(folder=self.folder), encoding="ascii")
        (self.folder / "index.txt").write_text("", encoding="ascii")
        for name in ("root", "other_root"):
            self._make_root(name)
        for name, (issuer, extensions, validity) in {**INTERMEDIATES, **LEAVES}.items():
            self._make(name, issuer, extensions.format(nul=NUL_NAME.hex(":")), validity)
        self._make_root("self_signed", NAMED)

    def chain(self, name):
        """What a receiver shows: certificate with chain, and key."""
        return self._path(name, "chain"), self._path(name, "key")

    def certificate(self, name):
        return self._path(name, "crt")

    def _path(self, name, kind):
        return self.folder / f"{name}.{kind}"

    def _make_key(self, name):
        kind = ["RSA", "-pkeyopt", "rsa_keygen_bits:1024"]
        if name != "weak_key":
            kind = ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
        openssl("genpkey", "-algorithm", *kind, "-out", self._path(name, "key"))

    def _make_root(self, name, extensions=""):
        self._make_key(name)
        subject = HOST if extensions else name
        section = self._path(name, "ext")
        section.write_text(self._config.read_text() + "[own]\n" + (extensions or AUTHORITY))
        openssl(
            "req", "-x509", "-new", "-key", self._path(name, "key"), "-days", 7300,
            "-subj", f"/CN={subject}", "-config", section, "-extensions", "own",
            "-out", self._path(name, "crt"),
        )  # fmt: skip
        self._path(name, "chain").write_bytes(self._path(name, "crt").read_bytes())

    def _make(self, name, issuer, extensions, validity):
        self._make_key(name)
        is_server = "serverAuth" in extensions and "leaf" not in name
        subject = HOST if is_server else name
        openssl(
            "req", "-new", "-key", self._path(name, "key"), "-subj", f"/CN={subject}",
            "-config", self._config, "-out", self._path(name, "csr"),
        )  # fmt: skip
        self._path(name, "ext").write_text(extensions, encoding="ascii")
        openssl(
            "ca", "-batch", "-notext", "-config", self._config, "-in", self._path(name, "csr"),
            "-cert", self._path(issuer, "crt"), "-keyfile", self._path(issuer, "key"),
            "-md", "sha1" if name == "sha1" else "sha256",
            "-startdate", validity[0], "-enddate", validity[1],
            "-extfile", self._path(name, "ext"), "-out", self._path(name, "crt"),
        )  # fmt: skip
        own = self._path(name, "crt").read_bytes()
        shows_issuer = name in WITH_ROOT or ("root" not in issuer and name not in ALONE)
        above = self._path(issuer, "crt").read_bytes() if shows_issuer else b""
        self._path(name, "chain").write_bytes(own + above)
