"""The database: engine, transactions, jobs as rows; transactions end here."""
