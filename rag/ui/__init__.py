"""The browser chat."""
