"""The conformance suites: ordinary pytest modules.

pytest --pyargs tidegauge.run.suites --tidegauge-adapter reference
"""
