"""Measuring the engine: on a project's own content, and by judgments that people made."""
