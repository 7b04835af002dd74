"""Web services of the user's settings: how their tables are read, and how they are asked.

Importing this package is cheap; `web` loads the HTTP client.
"""
