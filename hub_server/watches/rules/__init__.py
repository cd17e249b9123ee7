"""What is decided about watching without a database: how often is mailed, and in which words."""
