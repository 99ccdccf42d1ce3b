"""Tables, transactions, migrations and backups. Plain values in and out; no rule of learning lives here."""
