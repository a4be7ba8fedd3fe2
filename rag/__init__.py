"""Citewell: ask a pile of abstracts questions, with every sentence checked."""
