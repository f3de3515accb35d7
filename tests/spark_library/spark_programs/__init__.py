"""What the tests of the aligned source share: a stand-in for Spark, queries, and a driver to be killed."""
