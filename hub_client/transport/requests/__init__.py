"""Requests as values, one file for each kind of resource. The blocking and the asynchronous client both send them."""
