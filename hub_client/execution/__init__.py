"""Running a package's code: in this machine's sandbox, or on the hub."""
