"""The code that sources over files, logs and numbers share: batches are planned, stored and announced."""
