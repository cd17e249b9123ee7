"""What is decided about webhooks without a database: one module a subject."""
