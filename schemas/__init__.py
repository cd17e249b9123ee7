"""What the processes of Verihub say to each other: wire models and the formats of a package."""
