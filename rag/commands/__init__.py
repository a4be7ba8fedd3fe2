"""The commands of `citewell`, a module for each kind."""
