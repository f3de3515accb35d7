"""`--adapter spark`, and stateful processors of a user under test."""
