"""``verihub admin``: what the operator does on the hub's own machine, on its database and blobs."""
