"""Pages of collections: the list, one collection, and the forms that write one and report one."""
