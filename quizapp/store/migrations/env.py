"""Alembic calls this; the connection (already in a transaction) comes from `store.migrate`."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=None,
    transactional_ddl=False,  # the transaction is ours
)
context.run_migrations()
