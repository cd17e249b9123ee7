"""The tools of packages for one caller, and serving them over the Model Context Protocol."""
