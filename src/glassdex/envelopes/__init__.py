"""The JSON that programs read: Pydantic models with published schemas (docs/schema). Additive changes only.

Keys that do not apply are absent, never null; whoever reads passes over keys that
they do not know. Traces carry six decimal places, the ranked view three.
"""

from glassdex.envelopes.base import Envelope

__all__ = ["Envelope"]
