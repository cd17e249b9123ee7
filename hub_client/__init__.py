"""The hub from a program or a shell."""
