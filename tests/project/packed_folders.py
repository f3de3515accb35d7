"""What the two distributions are made of: the folders of their packages, and what lies beside one in its folder."""

from __future__ import annotations

from conftest import ROOT

LIBRARY = ROOT / "adapters" / "tidegauge_spark"
"""The folder of the library: the root of its project, and its package."""

PACKAGES = {
    "tidegauge": (
        "spec/tidegauge_spec",
        "reference_impl/tidegauge_reference",
        "conformance/tidegauge",
        "conformance/tidegauge_pipeline",
        "adapters/tidegauge_adapters",
        "reports/tidegauge_reports",
    ),
    "tidegauge_spark": ("adapters/tidegauge_spark",),
}
"""The packages of each distribution, by the name that its files have."""

OF_NO_PACKAGE = {"pyproject.toml", "MANAGED_SPARK.md", "README.md", "state.png", "windows.png", "LICENSE"}
"""What is in the folder of the library beside its package."""
