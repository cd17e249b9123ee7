"""The journal of a hub: its entries, their Merkle tree, and notes signed over it."""
