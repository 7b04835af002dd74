"""The API against its own description: Schemathesis asks what the description allows, and what it does not."""

from __future__ import annotations

from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings

from glassdex.server.app import create_app
from glassdex.server.config import ServerConfig

NAMES = frozenset({"localhost", "testserver"})
"""The second is what Schemathesis calls an application that it has in its own process."""


@pytest.fixture
def description(files: Path) -> schemathesis.BaseSchema:
    """The description, with the application behind it."""
    return schemathesis.openapi.from_asgi("/api/v1/openapi.json", create_app(ServerConfig(names=NAMES)))


schema = schemathesis.pytest.from_fixture("description")


@schema.parametrize()
@settings(
    max_examples=12,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_every_operation_keeps_to_its_description(case: schemathesis.Case) -> None:
    """No status of 500 and more, no answer that is not described, no request accepted that is outside the domain."""
    case.call_and_validate()
