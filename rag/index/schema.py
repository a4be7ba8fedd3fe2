"""The tables of the record, and how a record of an older format becomes one of today's."""

SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    file INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, shown TEXT NOT NULL, digest BLOB,
    skips TEXT NOT NULL DEFAULT '[]');
CREATE TABLE papers (
    number INTEGER PRIMARY KEY AUTOINCREMENT, paper_id TEXT NOT NULL UNIQUE, entry INTEGER,
    title TEXT NOT NULL, title_source TEXT NOT NULL, doi TEXT, arxiv TEXT,
    authors TEXT NOT NULL DEFAULT '[]', author_words TEXT NOT NULL DEFAULT '', year INTEGER,
    venue TEXT, venue_words TEXT NOT NULL DEFAULT '', url TEXT,
    content BLOB, revision INTEGER NOT NULL DEFAULT 0, indexed INTEGER NOT NULL DEFAULT 0);
CREATE INDEX papers_pending ON papers (number) WHERE indexed <> revision;
CREATE TABLE entries (
    entry INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL REFERENCES files,
    number INTEGER REFERENCES papers, digest BLOB NOT NULL, stamp INTEGER NOT NULL DEFAULT 0,
    place TEXT NOT NULL, source_id TEXT, collection TEXT, text TEXT NOT NULL, title TEXT,
    doi TEXT, arxiv TEXT, authors TEXT NOT NULL DEFAULT '[]', year INTEGER, venue TEXT, url TEXT);
CREATE INDEX entries_number ON entries (number);
CREATE INDEX entries_file ON entries (file);
CREATE TABLE keys (key INTEGER NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (key, number))
    WITHOUT ROWID;
CREATE INDEX keys_number ON keys (number);
CREATE TABLE gone (number INTEGER PRIMARY KEY);
CREATE TABLE sentence_vectors (
    number INTEGER PRIMARY KEY, revision INTEGER NOT NULL, embedder TEXT NOT NULL,
    vectors BLOB NOT NULL);
"""
"""The tables of format 1; a new record is made so, and then upgraded like any other."""

UPGRADES = {
    1: "CREATE INDEX papers_ready ON papers (number) WHERE indexed = revision",
}
"""What turns each format into the next."""

FORMAT = 1 + len(UPGRADES)
