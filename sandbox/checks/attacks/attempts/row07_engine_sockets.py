"""No engine socket lies in the file system."""

from sandbox.checks.attacks.attempt import Attempt, records

ATTEMPT = Attempt(
    program="""
import glob, os
places = ["/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/crio/crio.sock"]
found = [place for place in places if os.path.exists(place)]
for folder in ("/run", "/var", "/tmp", "/etc", "/verihub", "/home", "/opt"):
    found += glob.glob(folder + "/**/*.sock", recursive=True)
info["found"] = found
""",
    is_safe=records(found=[]),
)
