"""Runs steps over the connection that hub_server.database.schema_steps hands in."""

from alembic import context

from hub_server.accounts import models as accounts
from hub_server.audits import models as audits
from hub_server.catalog import models as catalog
from hub_server.database import activity, idempotency, job_queue, package_changes, rate_buckets, read_only
from hub_server.database import journal as journal_rows
from hub_server.database.base import Base
from hub_server.evaluations import models as evaluations
from hub_server.journal import models as journal
from hub_server.moderation import models as moderation
from hub_server.ownership import models as ownership
from hub_server.publishing import models as publishing
from hub_server.runs import models as runs
from hub_server.trusted_publishing import models as trusted_publishing

MODELS = (
    accounts,
    audits,
    catalog,
    evaluations,
    idempotency,
    activity,
    job_queue,
    journal,
    journal_rows,
    moderation,
    ownership,
    package_changes,
    publishing,
    rate_buckets,
    read_only,
    runs,
    trusted_publishing,
)
"""Imported so that ``Base.metadata`` knows every table."""


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
    transactional_ddl=True,
    compare_type=False,
)
with context.begin_transaction():
    context.run_migrations()
