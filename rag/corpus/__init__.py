"""From files to papers: read, clean, split into sentences, join twins."""
