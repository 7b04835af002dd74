"""A document's links, and a project's that lead nowhere or to one of several."""

from __future__ import annotations

import json
from collections.abc import Iterator

import jsonschema
import pytest

from glassdex.envelopes.links import LinksAnswer, document_links_answer, project_links_answer
from glassdex.errors import DocumentNotFound, ProjectNotFound
from glassdex.inspection.links import LinkView
from glassdex.project import Project
from tests.search.vaults import indexed, root_of, write_notes

NOTES = {
    "notes/a.md": (
        "---\nrelated: ['[[b]]']\n---\n# Alpha\n\n[the other](../c.md#part) and [[twin|a twin]] and [[nowhere]]\n"
        "and [out](https://example.org)\n\n- superseded_by [[b]] (since May)\n- part_of [[Alpha]]\n"
    ),
    "notes/b.md": "# Beta\n\nsee [[a]] and [[c]]\n",
    "c.md": "---\naliases: [Gamma]\n---\n\ntext\n",
    "x/twin.md": "one\n",
    "y/twin.md": "two, see [[Gamma]]\n",
}


@pytest.fixture(scope="module")
def linked() -> Iterator[Project]:
    with indexed(NOTES, embed=False) as project:
        yield project


def told(links: tuple[LinkView, ...]) -> list[tuple[str, str, str, int, str, str | None]]:
    return [(link.route, link.kind, link.target, link.line, link.state, link.path) for link in links]


def test_outgoing_links_in_their_order(linked: Project):
    found = linked.links("notes/a.md")
    assert (found.path, found.title) == ("notes/a.md", "Alpha")
    assert told(found.outgoing) == [
        ("front_matter", "related", "b", 2, "resolved", "notes/b.md"),
        ("link", "mention", "../c.md#part", 6, "resolved", "c.md"),
        ("wikilink", "mention", "twin", 6, "ambiguous", None),
        ("wikilink", "mention", "nowhere", 6, "unresolved", None),
        ("relation", "superseded_by", "b", 9, "resolved", "notes/b.md"),
        ("relation", "part_of", "Alpha", 10, "resolved", "notes/a.md"),
    ]
    by_target = {link.target: link for link in found.outgoing}
    assert by_target["twin"].candidates == ("x/twin.md", "y/twin.md")
    assert (by_target["twin"].label, by_target["../c.md#part"].label) == ("a twin", "the other")
    assert found.outgoing[4].context == "since May"
    assert [link.followed_as for link in found.outgoing] == ["related", "mention", None, None, "successor", None]


def test_incoming_links_say_who_states_them(linked: Project):
    found = linked.links("notes/b.md")
    assert [(link.source, link.kind, link.followed_as) for link in found.incoming] == [
        ("notes/a.md", "related", "related"),
        ("notes/a.md", "superseded_by", "related"),
    ]
    assert [(link.source, link.state) for link in linked.links("x/twin.md").incoming] == [("notes/a.md", "ambiguous")]
    assert [link.source for link in linked.links("c.md").incoming] == ["notes/a.md", "notes/b.md", "y/twin.md"]


def test_a_document_is_named_as_everywhere(linked: Project):
    assert linked.links("beta").path == "notes/b.md"
    with pytest.raises(DocumentNotFound):
        linked.links("nothing of the kind")
    with pytest.raises(ProjectNotFound):
        linked.links("elsewhere:notes/a.md#L1,c=0-1@0123456789ab")


def test_what_leads_nowhere_or_to_several(linked: Project):
    found = linked.open_links()
    assert (found.total, found.resolved, found.unresolved, found.ambiguous) == (9, 7, 1, 1)
    assert [(link.source, link.target) for link in found.listed] == [("notes/a.md", "twin"), ("notes/a.md", "nowhere")]
    short = linked.open_links(limit=1)
    assert (len(short.listed), short.unresolved + short.ambiguous) == (1, 2)
    assert [link.target for link in linked.links("notes/a.md").only_open().outgoing] == ["twin", "nowhere"]


def test_links_are_those_of_the_files_as_they_are_now():
    with indexed({"a.md": "[[b]]\n"}, embed=False) as project:
        assert [link.state for link in project.links("a.md").outgoing] == ["unresolved"]
        write_notes(root_of(project), {"deep/b.md": "here\n"})
        project.index(embed=False)
        assert [link.path for link in project.links("a.md").outgoing] == ["deep/b.md"]
        write_notes(root_of(project), {"b.md": "nearer\n"})
        project.index(embed=False)
        assert [link.path for link in project.links("a.md").outgoing] == ["b.md"]
        (root_of(project) / "b.md").unlink()
        (root_of(project) / "deep/b.md").unlink()
        project.index(embed=False)
        assert [link.state for link in project.links("a.md").outgoing] == ["unresolved"]


def test_of_many_candidates_the_first_ten_are_named_and_all_are_counted():
    notes = {f"p{number:02}/README.md": "text\n" for number in range(30)} | {"from.md": "[[README]]\n"}
    with indexed(notes, embed=False) as project:
        link = project.links("from.md").outgoing[0]
        assert link.candidates == tuple(f"p{number:02}/README.md" for number in range(10))
        assert link.candidates_total == 30
        assert [found.source for found in project.links("p29/README.md").incoming] == ["from.md"]
        assert json.loads(project_links_answer(project.open_links()).to_json())["open"][0]["candidates_total"] == 30


def test_names_are_looked_up_once_for_each_generation():
    with indexed({"a.md": "[[b]]\n", "b.md": "text\n"}, embed=False) as project:
        project.links("a.md")
        with project.store.read() as snapshot:
            kept = project._search_engine().links.resolver(snapshot)
            assert kept is project._search_engine().links.resolver(snapshot)
        write_notes(root_of(project), {"c.md": "here\n"})
        project.index(embed=False)
        project.open_links()
        with project.store.read() as snapshot:
            assert kept is not project._search_engine().links.resolver(snapshot)


def test_the_envelope_keeps_to_its_schema(linked: Project):
    for answer in (document_links_answer(linked.links("notes/a.md")), project_links_answer(linked.open_links(limit=1))):
        made = json.loads(answer.to_json())
        jsonschema.validate(made, LinksAnswer.published_schema())
    assert made["counts"] == {"total": 9, "resolved": 7, "unresolved": 1, "ambiguous": 1}
    assert (len(made["open"]), made["truncated"]) == (1, 1)
