"""Tests stock Apache Beam for Java: runs each scenario as a whole pipeline on the direct runner, in a JVM."""
