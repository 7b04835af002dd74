"""Context: the passages worth reading for a task, packed into a budget of tokens."""
