"""Bring a database to the newest step; configured here, so that no alembic.ini is needed."""

import importlib.util
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script.revision import ResolutionError
from alembic.util import CommandError
from sqlalchemy import Connection

from hub_server.database.engine import Database
from hub_server.errors import ConflictError


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
    """Run every missing step in one transaction; harmless when there is none, and when two processes start at once.

    Raises ``ConflictError`` for a database that a newer version has brought further than this one knows.
    """
    with database.migrating() as connection:
        try:
            command.upgrade(migration_config(connection), revision)
        except CommandError as error:
            if not isinstance(error.__cause__, ResolutionError):
                raise
            raise ConflictError(
                "A newer version of Verihub has used this database, which this one cannot read: start that version, or "
                "restore the backup that you made before you installed it."
            ) from error


def downgrade(database: Database, revision: str) -> None:
    """Take steps back, to ``revision`` (``base`` for an empty database)."""
    with database.migrating() as connection:
        command.downgrade(migration_config(connection), revision)
