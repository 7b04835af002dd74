"""What all tests share: property tests are about what holds, not how long it takes; suites show what differs."""

from __future__ import annotations

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("glassdex.testing")

settings.register_profile("glassdex", deadline=None)
settings.load_profile("glassdex")
