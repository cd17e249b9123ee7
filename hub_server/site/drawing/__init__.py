"""Numbers to SVG markup: pure functions, one for each drawing, the same in every size and on every page."""
