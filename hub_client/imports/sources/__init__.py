"""One module a source. Each says what it offers, and describes one package of it as a Draft."""
