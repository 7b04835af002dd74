"""Which document a target means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassdex.storage.links import MAX_CANDIDATES, LinkResolver, _Endings, other_names
from glassdex.storage.records import NamedDocument

PATHS = ("a.md", "b.md", "notes/a.md", "notes/b c.md", "notes/deep/d.md", "Work/Plan.md", "Work/plan.pdf", "日記/一.md")


def resolver(documents: Mapping[str, str], *, label: str = "", names: Mapping[str, Sequence[str]] = {}) -> LinkResolver:
    """Of documents by path, each with its title; a path that begins with `label/` lies in that other root."""
    return LinkResolver(
        NamedDocument(
            number,
            path,
            label if label and path.startswith(f"{label}/") else "",
            title,
            "markdown" if path.endswith(".md") else "pdf",
            tuple(names.get(path, ())),
        )
        for number, (path, title) in enumerate(documents.items())
    )


def meant(made: LinkResolver, source: str, target: str) -> str | list[str] | None:
    """The path that a target in `source` means, several, or none; "external" for what points to no document."""
    paths = {document.path: id_ for id_, document in made.documents.items()}
    found = made.resolve(paths[source], target)
    if found is None:
        return "external"
    named = [made.documents[id_].path for id_ in found.document_ids]
    return named[0] if found.state == "resolved" else named or None


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("notes/x.md", "b.md", "notes/b.md"),
        ("notes/x.md", "./b.md", "notes/b.md"),
        ("notes/x.md", "../b.md", "b.md"),
        ("notes/x.md", "../b", "b.md"),
        ("notes/x.md", "/b.md", "b.md"),
        ("notes/x.md", "notes/b.md", "notes/b.md"),
        ("notes/x.md", "deep/d", "notes/deep/d.md"),
        ("notes/x.md", "d", "notes/deep/d.md"),
        ("notes/x.md", "D.MD", "notes/deep/d.md"),
        ("notes/x.md", "d#Heading", "notes/deep/d.md"),
        ("notes/x.md", "d#Heading#Below", "notes/deep/d.md"),
        ("notes/x.md", "d#^block", "notes/deep/d.md"),
        ("notes/x.md", "../b.md?raw=1#x", "b.md"),
        ("notes/x.md", "with%20space.md", "with space.md"),
        ("notes/x.md", "with space", "with space.md"),
        ("notes/x.md", "deep\\d.md", "notes/deep/d.md"),
        ("notes/x.md", "C#", "c-sharp.md"),
        ("notes/x.md", "C##Types", "c-sharp.md"),
        ("notes/x.md", "a  tale of\ttides", "notes/b.md"),
        ("notes/x.md", "A Tale of Tides", "notes/b.md"),
        ("b.md", "cafe\u0301", "caf\u00e9.md"),
        ("b.md", "CAF\u00c9.md", "caf\u00e9.md"),
        ("b.md", "notes/b.md", "notes/b.md"),
        # a path that leaves the root, or that is written as one, is no name
        ("b.md", "../b.md", None),
        ("notes/x.md", "../../b.md", None),
        ("notes/x.md", "./d.md", None),
        ("notes/x.md", "/d.md", None),
        ("notes/x.md", "tale of tides", None),
        ("notes/x.md", "dee/d", None),
        ("notes/x.md", "eep/d", None),
        ("notes/x.md", "gone.md", None),
        # what points to no document
        ("notes/x.md", "https://example.org/b.md", "external"),
        ("notes/x.md", "mailto:b.md", "external"),
        ("notes/x.md", "//example.org/b.md", "external"),
        ("notes/x.md", "#heading", "external"),
        ("notes/x.md", "ADR: storage", "adr.md"),
    ],
)
def test_what_a_target_means(source: str, target: str, expected: str | None):
    made = resolver(
        {
            "b.md": "B",
            "notes/b.md": "A tale of Tides",
            "notes/x.md": "X",
            "notes/deep/d.md": "D",
            "with space.md": "With space",
            "c-sharp.md": "C#",
            "adr.md": "ADR: storage",
            "caf\u00e9.md": "Coffee",
        }
    )
    assert meant(made, source, target) == expected


def test_of_several_of_one_name_the_one_in_the_same_folder_is_meant():
    made = resolver({"x/note.md": "A", "y/note.md": "B", "y/from.md": "C", "z.md": "D"})
    assert meant(made, "y/from.md", "note") == "y/note.md"
    assert meant(made, "z.md", "note") == ["x/note.md", "y/note.md"]
    assert meant(made, "z.md", "x/note") == "x/note.md"


def test_of_several_the_one_that_is_spelled_so_is_meant_then_the_one_in_markdown():
    made = resolver({"x/Plan.md": "A", "y/plan.md": "B", "z/report.pdf": "R", "w/report.md": "R2", "from.md": "C"})
    assert meant(made, "from.md", "Plan") == "x/Plan.md"
    assert meant(made, "from.md", "plan") == "y/plan.md"
    assert meant(made, "from.md", "PLAN") == ["x/Plan.md", "y/plan.md"]
    assert meant(made, "from.md", "report") == "w/report.md"
    assert meant(made, "from.md", "report.pdf") == "z/report.pdf"


def test_two_documents_of_one_title_are_ambiguous():
    made = resolver({"x/1.md": "Weekly", "y/2.md": "weekly", "from.md": "C"})
    assert meant(made, "from.md", "WEEKLY") == ["x/1.md", "y/2.md"]
    assert meant(made, "from.md", "Weekly") == "x/1.md"


def test_a_permalink_or_an_alias_is_a_name():
    made = resolver({"x/1.md": "One", "from.md": "C"}, names={"x/1.md": ["main/one", "The First"]})
    assert meant(made, "from.md", "main/one") == "x/1.md"
    assert meant(made, "from.md", "the first#x") == "x/1.md"
    assert meant(made, "from.md", "first") is None
    assert other_names({"permalink": "main/one", "Aliases": ["a", "b"], "alias": "c", "tags": ["d"]}) == (
        "main/one",
        "a",
        "b",
        "c",
    )


def test_a_path_stays_within_its_root_folder():
    made = resolver({"a.md": "A", "other/a.md": "B", "other/x/from.md": "C", "from.md": "D"}, label="other")
    assert meant(made, "other/x/from.md", "../a.md") == "other/a.md"
    assert meant(made, "other/x/from.md", "/a.md") == "other/a.md"
    assert meant(made, "other/x/from.md", "../../a.md") is None
    assert meant(made, "from.md", "other/a.md") == "other/a.md"


def test_links_of_one_name_share_what_it_may_mean_wherever_they_stand():
    made = resolver({f"{side}{number:03}/README.md": "T" for number in range(100) for side in ("x", "y")})
    extra = LinkResolver(
        [*made.documents.values(), *(NamedDocument(900 + n, f"z{n}/p.md", "", "P", "markdown", ()) for n in range(50))]
    )
    for target in ("README", "docs/README.md", "readme#part"):
        found = [extra.resolve(900 + number, target) for number in range(50)]
        if target.startswith("docs"):
            assert {resolution.state for resolution in found if resolution} == {"unresolved"}
            continue
        # One object: nothing is kept for each of the folders.
        assert len({id(resolution) for resolution in found}) == 1
        first = found[0]
        assert first is not None and (first.state, first.total) == ("ambiguous", 200)
        assert [extra.documents[id_].path for id_ in first.document_ids] == [
            f"x{number:03}/README.md" for number in range(MAX_CANDIDATES)
        ]
        assert all(first.may_mean(id_) for id_ in made.documents) and not first.may_mean(900)
    assert meant(extra, "y050/README.md", "README") == "y050/README.md"


def test_only_documents_of_that_name_are_looked_at_and_each_once():
    class Counted(dict[int, NamedDocument]):
        looked_up = 0

        def __getitem__(self, key: int) -> NamedDocument:
            self.looked_up += 1
            return super().__getitem__(key)

    made = resolver({f"a/p{number}/README.md": "T" for number in range(400)} | {f"q{n}/x.md": "X" for n in range(400)})
    endings = _Endings(documents := Counted(made.documents), [(d.path.lower(), i) for i, d in made.documents.items()])
    for number in range(400):
        found = endings.get(f"p{number}/readme.md")
        assert found is not None and found.meant(f"q{number}", f"p{number}/README.md").total == 1
        everything = endings.get("readme.md")
        assert everything is not None and everything.meant(f"q{number}", "README.md").total == 400
    # Its folder, its spelling, its format and its place by path: once for all links, not once for each.
    assert documents.looked_up <= 4 * 400


@given(
    st.sets(st.sampled_from(PATHS), min_size=1),
    st.sampled_from((*PATHS, "a", "plan", "Work/plan", "../a", "./b c", "b%20c", "d#x", "", "/", "..", "#", "//", "%")),
    st.text(alphabet="ab/.#%| \\\x00?é", max_size=8),
)
def test_a_target_only_ever_means_documents_that_are_there(paths: set[str], target: str, odd: str):
    made = resolver({path: path for path in sorted(paths)})
    for source in made.documents:
        for written in (target, odd, target + odd):
            found = made.resolve(source, written)
            if found is not None:
                assert set(found.document_ids) <= set(made.documents)
                assert (found.state == "resolved") == (len(found.document_ids) == 1)
                assert (found.state == "unresolved") == (not found.document_ids)
