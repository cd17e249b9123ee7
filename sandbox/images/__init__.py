"""How a box's image is made: content-addressed layers, base -> dependencies -> guest -> package."""
