"""The conformance suites: ordinary pytest modules.

pytest --pyargs tidegauge.suites --tidegauge-adapter reference
"""
