"""The specification as data: chapters (Markdown) → rules, policies, profiles, golden vectors."""

from .chapters import Chapter, MalformedChapter, Rule, read_chapter
from .policies import PolicyText, read_absent, read_policies, read_profiles
from .registry import Registry, load_registry
from .statements import Statement, load_statements
from .vectors import vector_schema_path, vector_versions, vectors_document, vectors_folder, vectors_path
from .versions import FIRST_VERSION, RELEASED, SPEC_VERSION, in_order, is_version

__all__ = [
    "FIRST_VERSION",
    "RELEASED",
    "SPEC_VERSION",
    "Chapter",
    "MalformedChapter",
    "PolicyText",
    "Registry",
    "Rule",
    "Statement",
    "in_order",
    "is_version",
    "load_registry",
    "load_statements",
    "read_absent",
    "read_chapter",
    "read_policies",
    "read_profiles",
    "vector_schema_path",
    "vector_versions",
    "vectors_document",
    "vectors_folder",
    "vectors_path",
]
