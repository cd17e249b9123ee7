"""All settings for many machines, read once. Argument > environment > default.

The driver reads these. A node reads its own ``VERIHUB_SANDBOX_…``.
"""

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from schemas.settings import Settings

OF_EACH_NODE = {"docker_url", "runtime", "state_folder"}
"""Settings of the sandbox that name things of one machine: a node has its own, whatever the driver's are."""


class ClusterSettings(Settings):
    """How calls are spread over nodes, however a node is reached (prefix ``VERIHUB_SANDBOX_CLUSTER_``)."""

    model_config = SettingsConfigDict(env_prefix="VERIHUB_SANDBOX_CLUSTER_")

    calls_per_node: int = Field(default=1024, ge=1)
    """How many calls of one program a node may have. When every node has so many, streams are read no further."""
    spill_seconds: float = Field(default=0.5, gt=0)
    """How many seconds of work must wait on the node of a release before the next node gets its calls too."""
    join_seconds: float = Field(default=30.0, gt=0)
    """How long a node may take to become ready."""
    wait_seconds: float = Field(default=60.0, gt=0)
    """How long calls wait for a node when there is none. Then they count as not judged (``host``)."""
    silence_seconds: float = Field(default=30.0, gt=0)
    """A node that does not answer for so long counts as lost."""
    poll_seconds: float = Field(default=1.0, gt=0)
    """How often eight nodes are asked how they are. After all of them, nodes that came or went are looked for."""


class RaySettings(Settings):
    """How a node of a Ray cluster is reached (prefix ``VERIHUB_SANDBOX_RAY_``)."""

    model_config = SettingsConfigDict(env_prefix="VERIHUB_SANDBOX_RAY_")

    address: str = "auto"
    """``host:port`` of the cluster's head. ``auto``: the one that this program is in already, else the one that
    ``RAY_ADDRESS`` or a ``ray start`` on this machine names. ``local``: one node, for this program alone."""
    node_backend: str = "docker"
    """Where a node gets its boxes from."""
    share: float = Field(default=0.1, ge=0.0001, le=1)
    """Of a node's resource ``sandbox``: 0.1 of 1 lets ten programs use a node at the same time."""
    cpus: float = Field(default=0.0, ge=0)
    """CPUs of a node that Ray shall keep for our boxes and give to nobody else."""


class RemoteSettings(Settings):
    """How a node is reached by a command (prefix ``VERIHUB_SANDBOX_REMOTE_``)."""

    model_config = SettingsConfigDict(env_prefix="VERIHUB_SANDBOX_REMOTE_")

    nodes: list[str] = Field(default_factory=list)
    """Commands that start a node and hand over its standard streams (a JSON list). None: a node on this machine."""
    node_backend: str = "docker"
    """Where a node gets its boxes from."""
