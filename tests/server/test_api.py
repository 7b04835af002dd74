"""What only the API has: pages of documents, pictures, traces that go, limits, HEAD and OPTIONS, its description."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from glassdex.errors import TraceNotFound
from glassdex.project import Project
from glassdex.search.engine import Execution
from glassdex.server import traces
from tests.server.test_parity import pointer


def test_documents_come_in_pages_that_add_up(api: TestClient) -> None:
    whole = api.get("/api/v1/documents").json()
    assert [one["path"] for one in whole["documents"]] == sorted(one["path"] for one in whole["documents"])
    assert whole["total"] == len(whole["documents"]) == 5
    assert "next" not in whole
    found, offset = [], 0
    while offset is not None:
        page = api.get("/api/v1/documents", params={"limit": 2, "offset": offset}).json()
        found += page["documents"]
        offset = page.get("next")
    assert found == whole["documents"]
    assert api.get("/api/v1/documents", params={"offset": 99}).json()["documents"] == []
    for wrong in ({"limit": 0}, {"limit": 1001}, {"offset": -1}):
        assert api.get("/api/v1/documents", params=wrong).status_code == 422


def test_sessions_come_in_pages(api: TestClient) -> None:
    assert api.get("/api/v1/sessions", params={"offset": 1}).json()["sessions"] == []
    assert api.get("/api/v1/sessions", params={"offset": 1}).json()["total"] == 1
    assert api.get("/api/v1/sessions", params={"limit": 1001}).status_code == 422


def test_a_page_of_a_pdf_is_drawn_with_its_passage(api: TestClient) -> None:
    fog = pointer(api, "fog at dawn", in_document="report.pdf", page_from=2)
    drawn = api.get("/api/v1/page-image", params={"pointer": fog, "page": 2})
    assert drawn.headers["Content-Type"] == "image/png"
    assert drawn.content.startswith(b"\x89PNG\r\n\x1a\n")
    elsewhere = api.get("/api/v1/page-image", params={"pointer": fog, "page": 9})
    assert elsewhere.status_code == 422
    assert elsewhere.json()["code"] == "page_out_of_range"
    note = pointer(api, "owls hunt", in_document="owls.md")
    assert api.get("/api/v1/page-image", params={"pointer": note}).json()["code"] == "invalid_request"


def test_a_secret_in_a_transcript_stays_redacted(api: TestClient) -> None:
    assert api.get("/api/v1/open", params={"pointer": "x", "raw": "true"}).status_code == 422
    assert api.get("/api/v1/session", params={"session": "11111111", "raw": "true"}).status_code == 422


def test_the_oldest_trace_goes(files: Path) -> None:
    with Project.open("files") as project:
        kept, done = traces.Traces(2), project.search("owls")
        names = [kept.keep(done) for _ in range(3)]
    assert isinstance(kept.execution(names[2]), Execution)
    with pytest.raises(TraceNotFound):
        kept.execution(names[0])


def test_an_unknown_trace_and_run_are_not_found(api: TestClient) -> None:
    for path, code in (("traces/0", "trace_not_found"), ("index/0", "index_run_not_found")):
        answered = api.get(f"/api/v1/{path}")
        assert answered.status_code == 404
        assert answered.json()["code"] == code
    assert api.get("/api/v1/index/0/events").status_code == 404


def test_a_request_of_the_wrong_form_is_a_problem_that_names_the_field(api: TestClient) -> None:
    wrong: list[object] = [{}, [], {"query": 3}, {"query": "x", "limit": "3"}, {"query": "x", "odd": 1}]
    for body in wrong:
        answered = api.post("/api/v1/search", json=body)
        assert answered.status_code == 422, body
        assert answered.json()["code"] == "invalid_request"
        assert answered.json()["errors"]
    broken = api.post("/api/v1/search", content=b'{"query": ', headers={"Content-Type": "application/json"})
    assert broken.status_code == 422
    assert broken.headers["Content-Type"] == "application/problem+json"


def test_what_was_sent_is_not_repeated_in_a_problem(api: TestClient) -> None:
    answered = api.post("/api/v1/search", json={"query": ["a-secret-word"]})
    assert answered.status_code == 422
    assert "a-secret-word" not in answered.text


@pytest.mark.parametrize(
    "question",
    [
        {"query": "x" * 10_001},
        {"query": "x", "tags": ["t"] * 101},
        {"query": "x", "page": 10**30},
        {"query": "x", "in_document": "owls.md", "line_from": 10**12},
        {"query": "x \ud800"},
    ],
)
def test_what_no_person_asks_is_refused(api: TestClient, question: dict[str, object]) -> None:
    answered = api.post("/api/v1/search", content=json.dumps(question), headers={"Content-Type": "application/json"})
    assert answered.status_code == 422
    assert answered.json()["code"] == "invalid_request"


def test_head_is_get_without_a_body(api: TestClient) -> None:
    got, head = api.get("/api/v1/status"), api.head("/api/v1/status")
    assert head.status_code == 200
    assert head.content == b""
    assert head.headers["Content-Length"] == got.headers["Content-Length"]
    assert api.head("/api/v1/eval").status_code == 405


def test_options_say_the_methods_and_let_no_other_origin_in(api: TestClient) -> None:
    answered = api.options("/api/v1/search")
    assert answered.status_code == 204
    assert answered.headers["Allow"] == "GET, HEAD, OPTIONS, POST"
    assert not [name for name in answered.headers if name.lower().startswith("access-control")]
    assert api.options("/api/v1/nothing").status_code == 404


def test_another_method_is_refused_with_those_there_are(api: TestClient) -> None:
    answered = api.put("/api/v1/search", json={})
    assert answered.status_code == 405
    assert answered.json()["code"] == "method_not_allowed"
    assert answered.headers["Allow"]


def test_the_description_is_whole_and_its_examples_fit(api: TestClient) -> None:
    described = api.get("/api/v1/openapi.json").json()
    assert described["openapi"].startswith("3.1")
    schemas = described["components"]["schemas"]
    for name, schema in schemas.items():
        Draft202012Validator.check_schema(schema)
        for example in schema.get("examples", ()):
            whole = {**schema, "components": described["components"]}
            assert Draft202012Validator(whole).is_valid(example), name
    operations = [operation for path in described["paths"].values() for operation in path.values()]
    assert len({operation["operationId"] for operation in operations}) == len(operations)
    for operation in operations:
        assert operation["responses"]["default"]["content"].keys() == {"application/problem+json"}


def test_answers_keep_the_published_schemas(api: TestClient) -> None:
    described = api.get("/api/v1/openapi.json").json()
    for path, name in (("status?files=true", "StatusAnswer"), ("documents", "DocumentsAnswer")):
        schema = {"$ref": f"#/components/schemas/{name}", "components": described["components"]}
        Draft202012Validator(schema).validate(api.get(f"/api/v1/{path}").json())


def test_the_pages_of_fastapi_that_load_scripts_from_elsewhere_are_not_there(api: TestClient) -> None:
    for path in ("/docs", "/redoc", "/openapi.json", "/"):
        assert api.get(path).status_code == 404
