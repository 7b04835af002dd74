"""Search by words: the query language, BM25, and the indexes that serve it."""
