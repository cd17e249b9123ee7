"""Every page of the hub.

One module or folder for each page: the route stands beside what the page shows, and its template has the same name.
"""
