"""When packages were made public before releases had ``public_since``, as their events say.

Older hubs entered such a release in the journal with the day of its upload, so the journal does not tell.
"""

from alembic import op

revision = "20261128_11"
down_revision = "20261128_10"
branch_labels = None
depends_on = None

_SHOWN = "SELECT package_id, min(at) AS since FROM events WHERE kind = 'package.made_public' GROUP BY package_id"
_STEPS = (
    (
        "UPDATE packages SET created_at = shown.since FROM ({}) AS shown "
        "WHERE shown.package_id = packages.id AND packages.created_at < shown.since"
    ),
    (
        "UPDATE packages SET updated_at = shown.since FROM ({}) AS shown "
        "WHERE shown.package_id = packages.id AND packages.updated_at < shown.since"
    ),
    (
        "UPDATE releases SET public_since = shown.since FROM ({}) AS shown "
        "WHERE shown.package_id = releases.package_id AND public_since IS NULL AND published_at < shown.since"
    ),
)


def upgrade() -> None:
    for step in _STEPS:
        op.execute(step.format(_SHOWN))


def downgrade() -> None:
    """Nothing: since when others see a package is true of an older hub too."""
