"""From numbers to SVG markup: pure functions, one drawing a thing, the same in every size and on every page."""
