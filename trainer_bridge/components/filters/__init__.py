"""Which rows stay: a filter of level group drops whole groups, which are sampled again; one of level row masks rows."""
