"""What verdicts were made from, as a digest: they are fresh as long as it is that of the specification."""

import json
from dataclasses import asdict
from hashlib import sha256
from typing import Any

from tidegauge_spec import SPEC_VERSION, Rule, load_registry, vector_versions, vectors_document

_WHERE_IT_STANDS = ("file", "line")
_IN_WORDS = ("title", "reason", "source")


def specification_digest() -> str:
    """The SHA-256 of the version, of the texts of all rules, and of what all golden vectors do and expect.

    The line of a rule in its file and the title of a vector change no verdict: they are not part of it.
    """
    chapters = load_registry().chapters
    judged_by = {
        "version": SPEC_VERSION,
        "rules": [_rule(rule) for rule in load_registry().rules.values()],
        "vectors": [
            _vector(vector)
            for version in vector_versions()
            for component in chapters
            for vector in json.loads(vectors_document(component, version))
        ],
    }
    return sha256(json.dumps(judged_by, sort_keys=True).encode()).hexdigest()


def _rule(rule: Rule) -> dict[str, Any]:
    return {name: value for name, value in asdict(rule).items() if name not in _WHERE_IT_STANDS}


def _vector(vector: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in vector.items() if name not in _IN_WORDS}
