"""The write path: scan → read → chunk → publish → embed."""
