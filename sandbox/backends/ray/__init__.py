"""Many machines: a sandbox on every node of a Ray cluster, reached as one."""
