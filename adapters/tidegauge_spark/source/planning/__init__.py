"""What sources over files and over numbers share: how a batch is planned, stored and announced."""
