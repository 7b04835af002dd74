"""Conversations read back: which there are, their messages page by page, and what a pointer into one leads to."""
