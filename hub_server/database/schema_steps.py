"""Bring a database to the newest step; configured here, so that no alembic.ini is needed."""

import importlib.util
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

from hub_server.database.engine import Database


def migrations_folder() -> Path:
    """Where the steps are: the installed package ``migrations``."""
    spec = importlib.util.find_spec("migrations")
    if spec is None or spec.origin is None:
        raise RuntimeError("the package `migrations` is not installed beside hub_server: reinstall verihub")
    return Path(spec.origin).parent


def migration_config(connection: Connection) -> Config:
    """Alembic's configuration for a live connection."""
    config = Config()
    config.set_main_option("script_location", str(migrations_folder()).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def upgrade(database: Database, revision: str = "head") -> None:
    """Run every missing step in one transaction; harmless when there is none, and when two processes start at once."""
    with database.migrating() as connection:
        command.upgrade(migration_config(connection), revision)


def downgrade(database: Database, revision: str) -> None:
    """Take steps back, to ``revision`` (``base`` for an empty database)."""
    with database.migrating() as connection:
        command.downgrade(migration_config(connection), revision)
