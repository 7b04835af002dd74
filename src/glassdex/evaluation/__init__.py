"""Measuring the engine on a project's own content."""
