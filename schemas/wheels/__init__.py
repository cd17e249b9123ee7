"""The bytes of a package: a wheel, its metadata and requirements, its data files, what its archive may hold."""
