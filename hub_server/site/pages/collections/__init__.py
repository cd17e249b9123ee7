"""Pages of collections: the list, one collection, and the form that writes one."""
