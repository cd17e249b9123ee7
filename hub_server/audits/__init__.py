"""Cases, counter-examples, disputes and audit reports."""
