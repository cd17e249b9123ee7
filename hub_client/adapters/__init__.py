"""The hub's packages in the shape that other frameworks expect; a framework is needed only where it is used."""
