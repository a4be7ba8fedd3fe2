"""From papers to hits: record, chunk vectors, words, and retrieval over both."""
