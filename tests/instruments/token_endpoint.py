"""An OAuth endpoint on loopback that issues tokens to clients with a secret, for a Kafka broker."""

from __future__ import annotations

import base64
import json
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

CLIENT, SECRET, SCOPE = "carol", "carol-secret", "orders"
AUDIENCE: Final = "kafka"
ISSUER: Final = "http://issuer.example"
KEY_ID: Final = "1"


class Signer:
    """A key that signs tokens. public: the file with its public part, which the broker reads (JWKS)."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._key, self.public = folder / "signer.key", folder / "jwks.json"
        subprocess.run(["openssl", "genrsa", "-out", str(self._key), "2048"], check=True, capture_output=True)
        shown = subprocess.run(
            ["openssl", "rsa", "-in", str(self._key), "-noout", "-modulus"], check=True, capture_output=True
        )
        modulus = bytes.fromhex(shown.stdout.decode().strip().partition("=")[2])
        key = {"kty": "RSA", "kid": KEY_ID, "alg": "RS256", "use": "sig", "n": encoded(modulus), "e": "AQAB"}
        self.public.write_text(json.dumps({"keys": [key]}), encoding="utf-8")

    def token(self) -> str:
        """Return a signed token for the client."""
        now = int(time.time())
        claims = {"sub": CLIENT, "iss": ISSUER, "aud": AUDIENCE, "scope": SCOPE, "iat": now, "exp": now + 600}
        parts = ({"alg": "RS256", "kid": KEY_ID, "typ": "JWT"}, claims)
        text = ".".join(encoded(json.dumps(part).encode()) for part in parts)
        signed = subprocess.run(
            ["openssl", "dgst", "-sha256", "-sign", str(self._key)],
            input=text.encode(),
            check=True,
            capture_output=True,
        )
        return f"{text}.{encoded(signed.stdout)}"


def encoded(value: bytes) -> str:
    """Return bytes in the Base64 form used in tokens."""
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


@contextmanager
def token_endpoint(signer: Signer) -> Iterator[str]:
    """Run an endpoint and return its address."""
    known = "Basic " + base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            if self.headers["Authorization"] == known:
                self._answer(200, {"access_token": signer.token(), "token_type": "Bearer", "expires_in": 600})
            else:
                self._answer(401, {"error": "invalid_client", "error_description": "unknown client"})

        def _answer(self, status: int, body: Mapping[str, Any]) -> None:
            text = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/token"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
