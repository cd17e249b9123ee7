"""The hub's dependencies in one value. ``wiring`` makes it from settings; tests make it with fakes."""

from dataclasses import dataclass, field

from hub_server.database.engine import Database
from hub_server.ports.blob_store import BlobStore
from hub_server.ports.clock import Clock
from hub_server.ports.executor import Executor
from hub_server.ports.identity_provider import IdentityProvider, NoIdentityProvider
from hub_server.ports.mailer import Mailer, NoMailer
from hub_server.ports.outgoing_http import NoOutgoing, Outgoing
from hub_server.ports.report_exporter import ReportExporter
from hub_server.ports.search_index import SearchIndex
from hub_server.ports.signer import Signer
from hub_server.ports.tool_server import NoToolServer, ToolServer
from hub_server.ports.wheel_cache import WheelCache
from hub_server.ports.wheel_inspector import WheelInspector
from hub_server.settings import ServerSettings


@dataclass(frozen=True)
class Services:
    """Everything that a hub needs from outside, each behind a port. The caller that made it closes it."""

    settings: ServerSettings
    database: Database
    blobs: BlobStore
    wheels: WheelCache
    inspector: WheelInspector
    executor: Executor
    search: SearchIndex
    clock: Clock
    signer: Signer
    exporter: ReportExporter
    tools: ToolServer = field(default_factory=NoToolServer)
    mailer: Mailer = field(default_factory=NoMailer)
    identities: IdentityProvider = field(default_factory=NoIdentityProvider)
    outgoing: Outgoing = field(default_factory=NoOutgoing)

    def close(self) -> None:
        """Close connections and boxes; harmless to call twice."""
        self.tools.close()
        self.executor.close()
        self.database.close()
