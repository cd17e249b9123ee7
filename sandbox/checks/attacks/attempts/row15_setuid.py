"""No setuid program, no way to another uid."""

from sandbox.checks.attacks.attempt import Attempt

ATTEMPT = Attempt(
    program="""
import os
found = []
for root, folders, names in os.walk("/"):
    folders[:] = [f for f in folders if os.path.join(root, f) not in ("/proc", "/sys")]
    for name in names:
        try:
            if os.lstat(os.path.join(root, name)).st_mode & 0o6000:
                found.append(os.path.join(root, name))
        except OSError:
            pass
info["setuid"] = found
for name, function in (("setuid", os.setuid), ("setgid", os.setgid)):
    attempt(name, function, 0)
attempt("setgroups", os.setgroups, [0])
import ctypes
info["no_new_privileges"] = ctypes.CDLL(None).prctl(39, 0, 0, 0, 0)
""",
    is_safe=lambda v: (
        ""
        if v.info.get("setuid") == "EPERM" and v.info.get("setgid") == "EPERM" and v.info.get("no_new_privileges") == 1
        else f"recorded {v.info} {v.error}"
    ),
)
