"""Bytes → document and rows; one reader a format. Readers bid on a file; specific beats generic."""
