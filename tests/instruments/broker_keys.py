"""PEM keys and certificates for a Kafka broker and its clients, created with openssl and keytool."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

PASSWORD: Final = "store-secret"
"""The password of the clients' stores."""

HOST: Final = "localhost"
"""The only host name in the broker's certificate."""


class Keys:
    """The files in a folder.

    authority: the certificate of the authority that signed the others. stranger: the certificate of another
    authority. broker, client: a private key and its certificate. client_store: the client's key and
    certificate in PKCS12. encrypted: the same in PEM, the key with a password.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self.authority, self.stranger = self._authority("authority"), self._authority("stranger")
        self.broker = self._signed("broker", f"subjectAltName=DNS:{HOST}")
        self.client = self._signed("client", "subjectAltName=DNS:client")
        self.client_store = folder / "client.p12"
        store = ("pkcs12", "-export", "-in", self.client, "-out", self.client_store)
        self._openssl(*store, "-passout", f"pass:{PASSWORD}")
        key, self.encrypted = folder / "encrypted.key", folder / "encrypted.pem"
        encrypted = ("pkcs8", "-topk8", "-v2", "aes256", "-in", folder / "client.key", "-out", key)
        self._openssl(*encrypted, "-passout", f"pass:{PASSWORD}")
        self.encrypted.write_bytes(key.read_bytes() + (folder / "client.crt").read_bytes())

    def authority_in_jks(self) -> Path:
        """Return a JKS truststore."""
        store = self._folder / "trust.jks"
        into = ["-keystore", str(store), "-storetype", "JKS", "-storepass", PASSWORD]
        imported = ["keytool", "-importcert", "-noprompt", "-alias", "ca", "-file", str(self.authority)]
        subprocess.run([*imported, *into], check=True, capture_output=True)
        return store

    def client_in_jks(self) -> Path:
        """Return a JKS keystore of the client."""
        store = self._folder / "client.jks"
        given = ["-srckeystore", str(self.client_store), "-srcstorepass", PASSWORD]
        into = ["-destkeystore", str(store), "-deststoretype", "JKS", "-deststorepass", PASSWORD]
        subprocess.run(["keytool", "-importkeystore", *given, *into], check=True, capture_output=True)
        return store

    def _authority(self, name: str) -> Path:
        key, certificate = self._folder / f"{name}.key", self._folder / f"{name}.pem"
        made = ("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate)
        self._openssl(*made, "-days", "2", "-subj", f"/CN={name}")
        return certificate

    def _signed(self, name: str, extension: str) -> Path:
        key, request, certificate = (self._folder / f"{name}.{kind}" for kind in ("key", "csr", "crt"))
        made = ("req", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", request)
        self._openssl(*made, "-subj", f"/CN={name}")
        extensions = self._folder / f"{name}.ext"
        extensions.write_text(extension, encoding="utf-8")
        authority = ("-CA", self.authority, "-CAkey", self.authority.with_suffix(".key"), "-CAcreateserial")
        signed = ("x509", "-req", "-in", request, "-out", certificate, "-days", "2", "-extfile", extensions)
        self._openssl(*signed, *authority)
        both = self._folder / f"{name}.both.pem"
        both.write_bytes(key.read_bytes() + certificate.read_bytes())
        return both

    def _openssl(self, *arguments: str | Path) -> None:
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)
