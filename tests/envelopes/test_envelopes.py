"""What the commands print as JSON keeps the published schemas and their promises."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import BaseModel, ValidationError
from tools.generate_docs import ENVELOPES, ROOT, schema_file_name

from glassdex.envelopes.base import Part
from glassdex.envelopes.error import ErrorAnswer, error_answer
from glassdex.envelopes.search import PagePart, search_answer
from glassdex.errors import GlassdexError, StoreLocked
from tests.cli.running import QUERY, Run, write

SCHEMAS = ROOT / "docs" / "schema"


def published(envelope: str) -> dict[str, Any]:
    return dict(json.loads((SCHEMAS / f"{envelope.replace('/', '.')}.json").read_text(encoding="utf-8")))


def holds(answer: dict[str, Any], name: str) -> dict[str, Any]:
    """Checks an answer against its published schema, also with every unknown key refused."""
    assert answer["schema"] == name
    jsonschema.Draft202012Validator(published(name)).validate(answer)
    jsonschema.Draft202012Validator(closed(published(name))).validate(answer)
    assert list(nulls(answer)) == []
    return answer


def closed(schema: Any) -> Any:
    """The schema, but with keys refused that it does not name."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(value) for key, value in schema.items()}
    if "properties" in made and isinstance(made["properties"], dict) and made.get("type") == "object":
        made["additionalProperties"] = False
    return made


def nulls(node: Any, path: str = "$") -> Iterator[str]:
    if node is None:
        yield path
    elif isinstance(node, dict):
        for key, value in node.items():
            yield from nulls(value, f"{path}.{key}")
    elif isinstance(node, list):
        for position, value in enumerate(node):
            yield from nulls(value, f"{path}[{position}]")


def decimals(node: Any) -> int:
    """The most decimal places of any number below `node`."""
    if isinstance(node, float):
        return len(f"{node:.12f}".rstrip("0").partition(".")[2])
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return max((decimals(child) for child in children), default=0)


def test_every_published_schema_is_a_valid_one() -> None:
    names = sorted(path.name for path in SCHEMAS.glob("*.json"))
    assert names == sorted(schema_file_name(envelope) for envelope in ENVELOPES)
    for name in names:
        schema = json.loads((SCHEMAS / name).read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        assert "null" not in json.dumps(schema)
        assert "schema" in schema["required"]


def test_a_published_schema_lets_a_later_version_add_keys() -> None:
    answer = {"schema": "glassdex.error/1", "code": "x", "message": "y", "added_later": 1}
    jsonschema.Draft202012Validator(published("glassdex.error/1")).validate(answer)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(closed(published("glassdex.error/1"))).validate(answer)


@pytest.mark.parametrize(
    "arguments",
    [
        (QUERY,),
        (QUERY, "--explain"),
        (QUERY, "--explain", "--mode", "dense"),
        (QUERY, "--explain", "--mode", "lexical"),
        ("zyzzyva bakcup", "--explain", "--fusion", "rrf/1"),
        ('"embedding providers" title:embedding -fanless', "--explain"),
        ("buoy", "--explain", "--path", "nowhere/", "--tag", "x"),
        ("buoy", "--explain", "--kind", "entity", "--since", "2025-01-01", "--until", "2026-12-31"),
        (QUERY, "--explain", "--min-similarity", "0.4", "--min-score", "0.2", "--page", "2"),
        (QUERY, "--explain", "--page", "99"),
    ],
)
def test_searches_hold(in_vault: Run, arguments: tuple[str, ...]) -> None:
    answer = holds(in_vault("search", *arguments, "--json").answer, "glassdex.search/1")
    if "--explain" in arguments:
        holds(answer["trace"], "glassdex.trace/1")
        assert [execution["trace"] for execution in answer["executions"]] == [answer["trace"]]
    else:
        assert not {"trace", "executions"} & set(answer)


def test_what_the_other_commands_print_holds(run: Run, home: Path, tmp_path: Path) -> None:
    notes = write(tmp_path / "notes", a="# Owls\n\nOwls hunt at night.\n", b="# Bees\n\nBees sleep.\n")
    (notes / "bad.md").write_bytes(b"\xff")
    (notes / "x.bin").write_bytes(b"\0")
    holds(run("projects", "list", "--json").answer, "glassdex.projects/1")
    holds(run("index", notes, "--no-embed", "--json").answer, "glassdex.index/1")
    status = holds(run("status", "--json").answer, "glassdex.status/1")
    assert status["store"] == str(home / "projects" / "notes.db")
    found = holds(run("search", "owls", "--json", "--explain").answer, "glassdex.search/1")
    assert all(candidate["vector_pending"] for candidate in found["trace"]["candidates"])
    assert found["trace"]["readiness"] == {"ready": 0, "pending": 2, "other_identity": 0}
    pointer = found["results"][0]["matches"][0]["pointer"]
    assert holds(run("open", pointer, "--json").answer, "glassdex.passage/1")["state"] == "exact"
    (notes / "a.md").unlink()
    assert holds(run("open", pointer, "--json").answer, "glassdex.passage/1")["state"] == "gone"
    (home / "projects" / "broken.db").write_bytes(b"no database" * 500)
    holds(run("projects", "list", "--json").answer, "glassdex.projects/1")
    holds(run("open", "nonsense", "--json").error, "glassdex.error/1")
    holds(run("status", "-p", "nobody", "--json").error, "glassdex.error/1")


def test_results_are_the_same_bytes_with_and_without_an_explanation(in_vault: Run) -> None:
    plain = in_vault("search", QUERY, "-n", "5", "--json").out
    explained = in_vault("search", QUERY, "-n", "5", "--json", "--explain").out
    shortened = in_vault("search", QUERY, "-n", "5", "--json", "--explain", "--max-candidates", "0").out
    whole = plain[: plain.rindex("}")]
    assert explained.startswith(f'{whole}, "')
    assert shortened.startswith(f'{whole}, "')


def test_two_searches_print_the_same_apart_from_times(in_vault: Run) -> None:
    first, second = (in_vault("search", QUERY, "--json", "--explain").out for _ in range(2))
    without_times = [re.sub(r'"ms": [0-9.e-]+', '"ms": 0', text) for text in (first, second)]
    assert without_times[0] == without_times[1]


@pytest.mark.parametrize("limit", [0, 1, 10, 10_000])
def test_a_limit_on_the_candidates_keeps_those_that_were_returned(in_vault: Run, limit: int) -> None:
    whole = in_vault("search", QUERY, "-n", "4", "--json", "--explain").answer
    shortened = in_vault("search", QUERY, "-n", "4", "--json", "--explain", "--max-candidates", str(limit)).answer
    assert whole["trace"]["truncated"] == 0
    kept, every = shortened["trace"]["candidates"], whole["trace"]["candidates"]
    assert [c for c in every if c in kept] == kept
    assert shortened["trace"]["truncated"] == len(every) - len(kept)
    assert len(kept) >= min(limit, len(every))
    returned = [match["chunk_key"] for result in whole["results"] for match in result["matches"]]
    assert sorted(c["chunk_key"] for c in kept if "final" in c) == sorted(returned)
    assert len(kept) <= max(limit, limit + len(returned))


def test_results_have_three_decimals_and_traces_six(in_vault: Run) -> None:
    for fusion in ("convex/1", "rrf/1", "bonus/1"):
        answer = in_vault("search", QUERY, "--json", "--explain", "--fusion", fusion).answer
        assert decimals(answer["results"]) == 3
        assert decimals(answer["verdict"]) <= 3
        assert 3 < decimals(answer["trace"]) <= 6


def test_every_candidate_left_or_was_returned(in_vault: Run) -> None:
    answer = in_vault("search", QUERY, "--json", "--explain").answer
    for candidate in answer["trace"]["candidates"]:
        assert ("exit" in candidate) != ("final" in candidate)
        parts, score = candidate["fused"]["parts"], candidate["fused"]["score"]
        assert sum(parts.values()) == pytest.approx(score, abs=1e-5)
    for stage in answer["trace"]["stages"]:
        assert stage["in"] + stage["added"] == stage["out"] + sum(stage["dropped"].values())


def test_highlights_are_code_points_of_the_text(in_vault: Run) -> None:
    answer = in_vault("search", "Kältekammer Messreihe", "--json").answer
    marked = {
        match["text"][start:end].casefold()
        for result in answer["results"]
        for match in result["matches"]
        for start, end in match["highlights"]
    }
    assert "messreihe" in marked


def test_unknown_words_come_with_near_ones(in_vault: Run) -> None:
    answer = in_vault("search", "swapable", "--mode", "lexical", "--json").answer
    assert [word["word"] for word in answer["unknown_words"]] == ["swapable"]
    assert "swappable" in answer["unknown_words"][0]["near"]
    assert "unknown_words" not in in_vault("search", "swappable", "--json").answer


def every_model(base: type[BaseModel] = Part) -> Iterator[type[BaseModel]]:
    for model in base.__subclasses__():
        yield model
        yield from every_model(model)


def test_models_refuse_unknown_keys_and_cannot_be_changed() -> None:
    models: list[type[BaseModel]] = [Part, *every_model()]
    for model in models:
        assert model.model_config["extra"] == "forbid"
        assert model.model_config["frozen"] is True
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        PagePart.model_validate(
            {"limit": 1, "number": 1, "total": 0, "total_exact": True, "has_more": False, "pages": 3}
        )


def test_an_error_is_one_line_and_leaves_out_what_it_has_not() -> None:
    assert error_answer(GlassdexError("two\nlines")).to_json() == (
        '{"schema": "glassdex.error/1", "code": "error", "message": "two\\nlines"}'
    )
    told = error_answer(StoreLocked("busy", "wait", ["a", "b"])).to_json()
    assert json.loads(told) == {
        "schema": "glassdex.error/1",
        "code": "store_locked",
        "message": "busy",
        "suggestion": "wait",
        "candidates": ["a", "b"],
    }


def test_text_that_is_no_unicode_is_replaced() -> None:
    text = ErrorAnswer(code="x", message="a\ud800b").to_json()
    assert json.loads(text.encode("utf-8"))["message"] == "a?b"


def test_no_schema_describes_a_key_twice_or_without_a_type() -> None:
    for envelope in ENVELOPES:
        schema = envelope.published_schema()
        for definition in (schema, *schema.get("$defs", {}).values()):
            properties: Mapping[str, Any] = definition.get("properties", {})
            assert set(definition.get("required", ())) <= set(properties)
            assert all({"type", "$ref", "anyOf", "const", "enum"} & set(value) for value in properties.values())


def test_a_library_user_gets_the_same_answer(in_vault: Run) -> None:
    import glassdex

    with glassdex.Project.open("vault") as project:
        answer = search_answer(project.search(QUERY, limit=2), "vault").to_json()
    assert answer + "\n" == in_vault("search", QUERY, "-n", "2", "--json").out
