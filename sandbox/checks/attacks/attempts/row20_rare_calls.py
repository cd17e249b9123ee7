"""io_uring, bpf, perf, userfaultfd, keyctl, modules, kexec, kcmp, file handles, clocks, quotas."""

from sandbox.checks.attacks.attempt import Attempt, refused
from sandbox.checks.attacks.scripts import SYSCALL

ATTEMPT = Attempt(
    program=SYSCALL
    + """
for name, number in (("io_uring_setup", 425), ("io_uring_enter", 426), ("io_uring_register", 427), ("bpf", 321),
                     ("perf_event_open", 298), ("userfaultfd", 323), ("add_key", 248), ("request_key", 249),
                     ("keyctl", 250), ("init_module", 175), ("finit_module", 313), ("delete_module", 176),
                     ("kexec_load", 246), ("kexec_file_load", 320), ("kcmp", 312), ("open_by_handle_at", 304),
                     ("name_to_handle_at", 303), ("settimeofday", 164), ("clock_settime", 227), ("sethostname", 170),
                     ("swapon", 167), ("reboot", 169), ("quotactl", 179), ("acct", 163), ("iopl", 172), ("ioperm", 173),
                     ("modify_ldt", 154), ("vmsplice_to_kernel", 180), ("lookup_dcookie", 212), ("memfd_secret", 447),
                     ("fanotify_init", 300), ("syslog", 103), ("process_madvise", 440), ("move_pages", 279)):
    attempt(name, call, number, 0, 0, 0, 0, 0)
""",
    is_safe=refused("io_uring_setup", "bpf", "userfaultfd", "keyctl"),
)
