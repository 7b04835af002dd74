"""`glassdex mcp`: the questions as tools for agents, by the Model Context Protocol. Needs the extra `mcp`.

Tools, schemas and budgets (`tools.py` and what it imports) know nothing of the protocol's SDK; `serving.py`,
`stdio.py` and `http.py` do.
"""
