"""Views: what an execution, a pointer or a project looks like to those who ask. No view computes a score."""
