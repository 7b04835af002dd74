"""The API against its own description: Schemathesis asks what the description allows, and what it does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.core.result import Ok
from schemathesis.schemas import APIOperation

from glassdex.server.app import create_app
from glassdex.server.config import ServerConfig
from glassdex.server.documentation import ANSWERS

Operation = APIOperation[Any, Any, Any, Any]
NAMES = frozenset({"localhost", "testserver"})
"""The second is what Schemathesis calls an application that it has in its own process."""
OPERATIONS = sorted({*ANSWERS, "pageImage", "indexEvents"})
NEVER_WRONG = {"projects", "trace", "indexRun", "indexEvents", "cancelIndex"}
"""They take nothing, or an id in the path that may be any text."""
BOUNDED = settings(
    max_examples=15,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture
def description(files: Path) -> Iterator[schemathesis.BaseSchema]:
    """The description, with the application behind it."""
    app = create_app(ServerConfig(names=NAMES))
    described = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)
    # A description cannot say which texts are pointers, projects or dates: some that it allows are refused.
    described.config.checks.positive_data_acceptance.enabled = False
    described.config.checks.negative_data_rejection.expected_statuses = ["4XX"]
    yield described
    app.services.close()


def operations(description: schemathesis.BaseSchema) -> dict[str, Operation]:
    """By id; one that cannot be understood is an error."""
    found = [result.ok() for result in description.get_all_operations() if isinstance(result, Ok)]
    assert len(found) == len(list(description.get_all_operations()))
    return {operation.definition.raw["operationId"]: operation for operation in found}


def test_every_operation_is_tried(description: schemathesis.BaseSchema) -> None:
    assert sorted(operations(description)) == OPERATIONS


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        *((name, GenerationMode.POSITIVE) for name in OPERATIONS),
        *((name, GenerationMode.NEGATIVE) for name in OPERATIONS if name not in NEVER_WRONG),
    ],
)
def test_an_operation_keeps_to_its_description(
    description: schemathesis.BaseSchema, name: str, mode: GenerationMode
) -> None:
    """No status of 500 and more, no answer that is not described, no request accepted that is outside the domain."""
    operation = operations(description)[name]

    @BOUNDED
    @given(case=operation.as_strategy(generation_mode=mode))
    def asks(case: schemathesis.Case[Any]) -> None:
        case.call_and_validate()

    asks()
