"""The command line: one file a verb, loaded when it is asked for."""
