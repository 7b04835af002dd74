"""`glassdex serve`: the HTTP API, and what stands before it. Needs the extra `server`."""
