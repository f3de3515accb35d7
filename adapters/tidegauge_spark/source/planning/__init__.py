"""What sources over files, over logs and over numbers share: how a batch is planned, stored and announced."""
