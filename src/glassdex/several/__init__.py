"""A search over several projects: one execution in each, and one ranking merged of them."""
