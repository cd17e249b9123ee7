"""What the hub needs from the outside, as protocols; adapters of the same name fulfil them."""
