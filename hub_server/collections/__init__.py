"""Collections: curated lists of packages, by an account or an organisation."""
