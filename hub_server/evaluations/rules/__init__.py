"""Pure decisions about benchmarks: results, reports, quality."""
