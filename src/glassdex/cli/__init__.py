"""The command line: parse, call, render. Nothing here knows how anything is computed."""
