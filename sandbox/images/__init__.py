"""What a box's image is made of: content-addressed layers, base -> dependencies -> guest -> package."""
