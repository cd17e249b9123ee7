"""Other people's environments as ordinary projects: one importer a source, and what all of them share."""
