"""What owners may do with a whole package: give it away, close it, delete what nobody uses yet."""
