"""The specification as data: chapters (Markdown) → rules, policies, profiles, published vectors."""

from .chapters import Chapter, MalformedChapter, Rule, read_chapter
from .policies import PolicyText, read_absent, read_policies, read_profiles
from .registry import SPEC_VERSION, Registry, load_registry
from .vectors import vector_lines, vectors_path

__all__ = [
    "SPEC_VERSION",
    "Chapter",
    "MalformedChapter",
    "PolicyText",
    "Registry",
    "Rule",
    "load_registry",
    "read_absent",
    "read_chapter",
    "read_policies",
    "read_profiles",
    "vector_lines",
    "vectors_path",
]
