"""What every feature uses: the unit of work, the caller, jobs, cursors, and the services of the hub."""
