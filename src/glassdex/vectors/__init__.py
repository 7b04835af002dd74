"""Search by meaning: vector indexes over the stored embeddings."""
