"""Secrets out of text before it is indexed: what is found becomes a label of the same length, all else stays.

`anchors` finds the places where a rule may begin, `tokens` and `contexts` say what a secret looks like,
`assignments` where a named value ends, `values` tells a secret from a placeholder or a piece of code,
`redactor` puts labels in their place.
"""

from glassdex.redaction.redactor import IDENTITY, Redaction, redact

__all__ = ["IDENTITY", "Redaction", "redact"]
