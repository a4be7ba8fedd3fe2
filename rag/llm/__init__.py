"""Language models: the GGUF adapter, its paper cache, catalogue and download."""
