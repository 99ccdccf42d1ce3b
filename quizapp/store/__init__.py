"""SQLModel tables, migrations, the review log, backups."""
