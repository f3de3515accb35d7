"""Where the sources of a rule stand on the web, as far as their names say it."""

import re

_TRACKERS = {
    "FLINK": "https://issues.apache.org/jira/browse/FLINK-{}",
    "SPARK": "https://issues.apache.org/jira/browse/SPARK-{}",
    "SPARK-PR": "https://github.com/apache/spark/pull/{}",
    "ICEBERG": "https://github.com/apache/iceberg/issues/{}",
    "HZ": "https://github.com/hazelcast/hazelcast/issues/{}",
}
_ISSUE = re.compile(r"([A-Z]+(?:-PR)?)-([0-9]{1,7})")


def issue_address(source: str) -> str | None:
    """The address of an issue such as `FLINK-5017`; None for the statements of documents (`E29`)."""
    found = _ISSUE.fullmatch(source)
    if found is None or found[1] not in _TRACKERS:
        return None
    return _TRACKERS[found[1]].format(found[2])


def is_web_address(text: str) -> bool:
    """Whether a text is an address of the web, and nothing else."""
    return re.fullmatch(r"https?://[^\s<>\"'\\`|\[\]{}^\x00-\x20\x7f-\x9f]{1,400}", text) is not None
