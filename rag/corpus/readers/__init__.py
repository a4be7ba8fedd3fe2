"""One reader for each format that abstracts come in."""
