"""Transcripts of conversations, with agents above all: records → turns (one parser a format) → message rows."""
