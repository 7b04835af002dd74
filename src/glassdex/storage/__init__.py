"""The store: catalogue of files, manifest of rows and chunks, vectors, outbox. The manifest is the authority;
lexical and vector indexes are derived from it and can be rebuilt.
"""
