"""The pipelines that Citewell is measured against."""
