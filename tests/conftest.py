"""Property tests are about what holds, not about how long it takes."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("glassdex", deadline=None)
settings.load_profile("glassdex")
