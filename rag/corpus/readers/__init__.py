"""One reader per file format; each yields records and skips."""
