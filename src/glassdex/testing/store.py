"""What every store must do: whole transactions, one generation a snapshot, and nothing lost that was promised."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from glassdex.embedding.protocol import EmbeddingIdentity
from glassdex.errors import EmbeddingError
from glassdex.model import Json, Link, ReadingWarning
from glassdex.storage.protocol import Snapshot, Store, Writer
from glassdex.storage.records import ChunkRecord, NamedDocument, SkippedRecord
from glassdex.testing.conversations import StoreConversationsConformance
from glassdex.testing.expect import expect_error
from glassdex.testing.notes import Passage, note, observation
from glassdex.testing.places import StorePlacesConformance

_IDENTITY = EmbeddingIdentity("example", "", "mean", 4, "", "", 0)
_OTHER_IDENTITY = EmbeddingIdentity("other", "", "mean", 3, "", "", 0)
_MADE_BY: Mapping[str, str] = {"reader": "markdown/1", "chunker": "chunks/1", "lexical_identity": "words/1"}
_SLAB_AND_MORE = 1_100


class StoreConformance(StorePlacesConformance, StoreConversationsConformance):
    """Derive, and provide `open_store`."""

    persistent = True
    """Whether what was committed is there after closing and opening again."""

    isolated_snapshots = True
    """Whether a snapshot and a write transaction can be open at the same time, each with its own view."""

    def open_store(self, folder: Path) -> Store:
        """The store of a project that lives in `folder`: a new one the first time, the same one afterwards.

        The suite calls `close()` on it. A store that is not made of files may take the folder's name for its own.
        """
        raise NotImplementedError

    def test_a_new_store_is_empty_and_answers_everything(self) -> None:
        with self._opened() as store, store.read() as snapshot:
            counts = snapshot.counts()
            assert (counts.files, counts.documents, counts.chunks, counts.links) == (0, 0, 0, 0), f"{counts}"
            assert snapshot.readiness() == (0, 0, 0)
            assert snapshot.roots() == [] and list(snapshot.files()) == [] and snapshot.skipped() == []
            assert snapshot.document_paths() == {} and snapshot.document("a.md") is None
            assert snapshot.file("a.md") is None and snapshot.meta("never set") is None
            assert snapshot.pending_chunks(0, 10) == [] and snapshot.outbox("elsewhere") == []
            assert snapshot.vectors(_IDENTITY).shape == (0, 4), "no vectors, of the identity's dimensions"
            table = store.chunk_table(snapshot)
            assert len(table.ids) == len(table.slots) == len(table.lengths) == len(table.document_ids) == 0

    def test_asking_for_nothing_gives_nothing(self) -> None:
        with self._with_note(["one"]) as store, store.read() as snapshot:
            assert snapshot.chunks([]) == {} and snapshot.candidates(np.empty(0, dtype=np.int64)) == {}
            assert snapshot.chunk_ids_of_kinds([]).tolist() == []
            assert snapshot.chunk_ids_of_documents([]).tolist() == []
            assert snapshot.chunks([10**9]) == {}, "an id that is not there is left out"
            assert snapshot.candidates(np.array([10**9])) == {}
            assert snapshot.document_chunks(10**9) == []

    def test_a_document_comes_back_as_it_was_published(self) -> None:
        warning = ReadingWarning("odd_date", "the date is odd", 2)
        link = Link("wikilink", "mention", "b", 1)
        document, chunks = note("Tides", ["The tide turns.", "It turns again."], links=(link,), warnings=(warning,))
        with self._opened() as store:
            with store.write() as writer:
                look = observation(writer.add_root("/notes", ""), "log/tides.md")
                document_id, removed, added = writer.replace_document(
                    look, document, chunks, [3.0, 2.5], _MADE_BY, 99.0
                )
            with store.read() as snapshot:
                stored = snapshot.document("log/tides.md")
                records = snapshot.document_chunks(document_id)
                candidates = snapshot.candidates(np.array(added))
                table = store.chunk_table(snapshot)
                rows = snapshot.document_rows(document_id)
                assert snapshot.titles() == {document_id: "Tides"}
                named = NamedDocument(document_id, "log/tides.md", "", "Tides", "markdown", ())
                assert snapshot.named_documents() == [named], f"{snapshot.named_documents()}"
                assert [found[1:] for found in snapshot.links()] == [
                    (document_id, "wikilink", "mention", "b", 1, None, None)
                ], f"{snapshot.links()}"
                assert snapshot.reading_warnings() == [("log/tides.md", warning)]
                first = chunks[0].key
                assert snapshot.chunks_with_key(first) == [(document_id, added[0])]
                assert snapshot.paths_with_passage(first.split(":")[1][:12]) == ["log/tides.md"]
                assert snapshot.chunks_with_key("entity:none:0") == []
                assert snapshot.paths_with_passage("fedcba98") == []
                assert snapshot.front_matter(["mood", "other"]) == [(document_id, "mood", "calm")]
                assert snapshot.front_matter(["other"]) == snapshot.front_matter([]) == []
        assert [(row.kind, row.key, row.char_start) for row in rows] == [
            (row.kind, row.key, row.start) for row in document.rows
        ]
        assert removed == [] and [record.chunk_id for record in records] == added
        assert stored is not None and stored.document_id == document_id
        assert (stored.title, stored.title_source, stored.format) == ("Tides", "heading", "markdown")
        assert stored.metadata == {"mood": "calm"} and stored.warnings == (warning,), f"{stored}"
        for record, chunk in zip(records, chunks, strict=True):
            assert (record.text, record.key, record.row_key) == (chunk.text, chunk.key, chunk.row.key)
            assert (record.char_start, record.char_end) == (chunk.char_start, chunk.char_end)
            assert (record.locator, record.context) == (chunk.locator, chunk.context)
            assert (record.headings, record.breadcrumb) == (chunk.headings, chunk.breadcrumb)
            assert (record.path, record.title, record.kind) == ("log/tides.md", "Tides", "entity")
            assert (record.token_count, record.embedding_status) == (chunk.token_count, "pending")
            candidate = candidates[record.chunk_id]
            assert (candidate.key, candidate.path, candidate.headings) == (record.key, record.path, record.headings)
            assert (candidate.char_start, candidate.locator) == (record.char_start, record.locator)
        assert table.ids.tolist() == added and table.lengths.tolist() == [3.0, 2.5]
        assert table.document_ids.tolist() == [document_id] * 2 and table.slots.tolist() == [-1, -1]

    def test_publishing_again_replaces_the_document_and_its_chunks(self) -> None:
        with self._with_note(["old one", "old two"]) as store:
            with store.write() as writer:
                document_id, removed, added = _publish(writer, "note.md", ["new"], content="changed")
            with store.read() as snapshot:
                records = snapshot.document_chunks(document_id)
                counts = snapshot.counts()
                assert snapshot.chunks(removed) == {}, "the old chunks are gone"
        assert len(removed) == 2 and not set(removed) & set(added), "a chunk id is never used twice"
        assert [record.text for record in records] == ["new"]
        assert (counts.files, counts.documents, counts.rows, counts.chunks) == (1, 1, 1, 1), f"{counts}"

    def test_removing_a_file_takes_all_that_came_from_it(self) -> None:
        with self._with_note(["one", "two"], tags=("t",)) as store:
            with store.write() as writer:
                kept, _, (kept_chunk,) = _publish(writer, "kept.md", ["three"])
            with store.read() as snapshot:
                file = snapshot.file("note.md")
                assert file is not None
                doomed = [record.chunk_id for record in snapshot.document_chunks(file.id)]
            with store.write() as writer:
                assert sorted(writer.remove_file(file.id)) == doomed, "it says which chunks other indexes must drop"
            with store.read() as snapshot:
                assert snapshot.file("note.md") is None and snapshot.document("note.md") is None
                assert snapshot.document_paths() == {kept: "kept.md"}
                assert store.chunk_table(snapshot).ids.tolist() == [kept_chunk]
                assert snapshot.chunk_ids_with_tag("t").tolist() == []
                assert snapshot.counts().rows == 1

    def test_chunk_ids_are_not_used_again_after_a_removal(self) -> None:
        with self._with_note(["one"]) as store, store.write() as writer:
            _, (first,), (second,) = _publish(writer, "note.md", ["two"])
            file_id = writer.observe(observation(1, "note.md"), "settled")
            writer.remove_file(file_id)
            _, _, (third,) = _publish(writer, "other.md", ["three"])
        assert first < second < third, f"{first}, {second}, {third}"

    def test_the_generation_grows_with_each_change_of_the_index(self) -> None:
        with self._opened() as store:
            with store.write() as writer:
                root_id = writer.add_root("/notes", "")
            seen = [_generation(store)]
            with store.write() as writer:
                writer.activate_identity(_IDENTITY)
                file_id, _, _ = _publish(writer, "note.md", ["text"], root_id=root_id)
            seen.append(_generation(store))
            _embed_pending(store)
            seen.append(_generation(store))
            with store.write() as writer:
                writer.remove_file(file_id)
            seen.append(_generation(store))
        assert seen == sorted(set(seen)), f"publishing, embedding and removing are changes: {seen}"
        assert seen[-1] - seen[0] == 3, f"one transaction is one generation, however much it does: {seen}"

    def test_the_generation_stays_when_nothing_in_the_index_changed(self) -> None:
        with self._with_embedded_note(["text"]) as store:
            before, hashes = _generation(store), _hashes(store)
            with store.write():
                pass
            with store.write() as writer:
                writer.activate_identity(_IDENTITY)
                writer.set_meta("seen", 1)
                writer.observe(observation(1, "note.md"), "settled")
                writer.remove_file(10**9)
                writer.enqueue("elsewhere", "upsert", [1])
                writer.store_vectors(_IDENTITY, hashes, _vectors(1))
            assert _generation(store) == before, "caches would be dropped for nothing"

    def test_an_error_in_a_transaction_leaves_nothing_of_it(self) -> None:
        with self._with_embedded_note(["text"]) as store:
            with store.read() as snapshot:
                before = (snapshot.generation, snapshot.counts(), snapshot.document_paths(), snapshot.readiness())
            with expect_error(_DeliberateError, "an error raised inside a write transaction"), store.write() as writer:
                _publish(writer, "note.md", ["changed"])
                _publish(writer, "more.md", ["more"])
                writer.enqueue("elsewhere", "upsert", [1])
                writer.set_meta("left", "behind")
                writer.activate_identity(_OTHER_IDENTITY)
                raise _DeliberateError
            with store.read() as snapshot:
                after = (snapshot.generation, snapshot.counts(), snapshot.document_paths(), snapshot.readiness())
                assert after == before, f"{after} is left of a transaction that failed; before it: {before}"
                assert snapshot.outbox("elsewhere") == [] and snapshot.meta("left") is None
            with store.write() as writer:
                _publish(writer, "more.md", ["more"])
            with store.read() as snapshot:
                assert snapshot.counts().documents == 2, "the store is usable after a rollback"

    def test_a_snapshot_sees_one_generation_while_a_writer_commits(self) -> None:
        if not self.isolated_snapshots:
            return
        with self._with_note(["before"]) as store:
            with store.read() as snapshot:
                with store.write() as writer:
                    document_id, _, _ = _publish(writer, "note.md", ["after", "after too"])
                    texts = [record.text for record in snapshot.document_chunks(document_id)]
                    assert texts == ["before"], "uncommitted work is nobody's business"
                texts = [record.text for record in snapshot.document_chunks(document_id)]
                table = store.chunk_table(snapshot)
                assert texts == ["before"] and len(table.ids) == 1, "committed after the snapshot began"
                generation = snapshot.generation
            with store.read() as snapshot:
                assert snapshot.generation == generation + 1
                assert len(store.chunk_table(snapshot).ids) == 2, "a kept table is not given for another generation"

    def test_vectors_come_back_in_the_slots_that_chunks_name(self) -> None:
        texts = [f"text {i}" for i in range(_SLAB_AND_MORE)]
        with self._with_embedded_note(texts) as store, store.read() as snapshot:
            table = store.chunk_table(snapshot)
            matrix = snapshot.vectors(_IDENTITY)
            readiness = snapshot.readiness()
            presence = snapshot.presence(int(table.document_ids[0]))
        assert readiness == (_SLAB_AND_MORE, 0, 0)
        assert sorted(presence) == table.ids.tolist()
        assert {(one.vector_identities, one.slot_matches) for one in presence.values()} == {((_IDENTITY.key,), True)}
        assert np.array_equal(matrix[table.slots], _vectors(_SLAB_AND_MORE)), "every chunk has its own text's vector"

    def test_front_matter_is_found_in_any_case_of_any_script(self) -> None:
        document, chunks = note("Tides", ["The tide turns."])
        stated: Mapping[str, Json] = {"Ärger": "much", "STRASSE": 1, "mood": "calm", "Öl": 2}
        with self._opened() as store:
            with store.write() as writer:
                look = observation(writer.add_root("/notes", ""), "tides.md")
                writer.replace_document(look, replace(document, metadata=stated), chunks, [3.0], _MADE_BY, 99.0)
            with store.read() as snapshot:
                found = [pair[1:] for pair in snapshot.front_matter(["ärger", "strasse", "Öl".casefold()])]
        assert dict(found) == {"strasse": 1, "ärger": "much", "öl": 2}, f"{found}"

    def test_chunks_with_the_same_text_share_one_vector(self) -> None:
        with self._with_embedded_note(["same"]) as store:
            with store.write() as writer:
                _, _, added = _publish(writer, "copy.md", ["same", "different"])
                writer.link_known_vectors(_IDENTITY, added)
            with store.read() as snapshot:
                slots = store.chunk_table(snapshot).slots.tolist()
                pending = [chunk.embedded_text for chunk in snapshot.pending_chunks(0, 10)]
        assert slots[0] == slots[1] >= 0 and slots[2] == -1, f"slots {slots}"
        assert pending == ["note\ndifferent"], "only the new text is left to embed"

    def test_storing_vectors_twice_keeps_the_first(self) -> None:
        with self._with_embedded_note(["one", "two"]) as store:
            hashes = _hashes(store)
            with store.write() as writer:
                writer.store_vectors(_IDENTITY, [hashes[0], hashes[0]], _vectors(2)[::-1])
            with store.read() as snapshot:
                slots = store.chunk_table(snapshot).slots
                matrix = snapshot.vectors(_IDENTITY)
        assert np.array_equal(matrix[slots], _vectors(2)), "a late writer is harmless"
        assert len(matrix) == 2, "and takes no room"

    def test_storing_no_vectors_is_nothing(self) -> None:
        with self._with_embedded_note(["one"]) as store:
            with store.write() as writer:
                writer.store_vectors(_IDENTITY, [], np.empty((0, 4), dtype=np.float32))
            with store.read() as snapshot:
                assert snapshot.readiness() == (1, 0, 0)

    def test_a_renamed_file_costs_no_embedding(self) -> None:
        with self._with_embedded_note(["one", "two"]) as store:
            with store.write() as writer:
                writer.remove_file(writer.observe(observation(1, "note.md"), "settled"))
            with store.write() as writer:
                _, _, added = _publish(writer, "renamed.md", ["one", "two"])
                writer.link_known_vectors(_IDENTITY, added)
            with store.read() as snapshot:
                slots = store.chunk_table(snapshot).slots
                assert snapshot.readiness() == (2, 0, 0), "vectors outlive the document that they were made for"
                assert np.array_equal(snapshot.vectors(_IDENTITY)[slots], _vectors(2))

    def test_another_model_makes_chunks_pending_and_the_first_one_back_makes_them_ready(self) -> None:
        with self._with_embedded_note(["one", "two"]) as store:
            with store.write() as writer:
                writer.activate_identity(_OTHER_IDENTITY)
            with store.read() as snapshot:
                assert snapshot.readiness() == (0, 2, 2), "pending, with a vector of another identity"
                assert store.chunk_table(snapshot).slots.tolist() == [-1, -1]
            with store.write() as writer:
                writer.activate_identity(_IDENTITY)
            with store.read() as snapshot:
                assert snapshot.readiness() == (2, 0, 0), "nothing is embedded twice"
                slots = store.chunk_table(snapshot).slots
                assert np.array_equal(snapshot.vectors(_IDENTITY)[slots], _vectors(2))

    def test_the_model_before_is_remembered_with_its_vectors(self) -> None:
        with self._with_embedded_note(["one", "two"]) as store:
            with store.read() as snapshot:
                first = store.chunk_table(snapshot).slots
            with store.write() as writer:
                writer.activate_identity(_OTHER_IDENTITY)
            with store.write() as writer:
                _publish(writer, "later.md", ["three"])
            with store.read() as snapshot:
                assert snapshot.meta("previous_embedding_identity") == _IDENTITY.key
                assert snapshot.vector_slots(_IDENTITY).tolist() == [*first.tolist(), -1], "a slot a chunk, by id"
                assert snapshot.vector_slots(_OTHER_IDENTITY).tolist() == [-1, -1, -1]
            with store.write() as writer:
                writer.activate_identity(_IDENTITY)
            with store.read() as snapshot:
                assert snapshot.meta("previous_embedding_identity") == _IDENTITY.key, (
                    "a model that never made a vector is nobody's predecessor"
                )

    def test_a_late_vector_of_a_model_no_longer_active_is_kept_and_makes_nothing_ready(self) -> None:
        with self._with_note(["one"]) as store:
            late, chunk_ids = _hashes(store), _chunk_ids(store)
            with store.write() as writer:
                writer.activate_identity(_OTHER_IDENTITY)
            with store.write() as writer:
                writer.store_vectors(_IDENTITY, late, _vectors(1))
                writer.link_known_vectors(_IDENTITY, chunk_ids)
            with store.read() as snapshot:
                assert snapshot.readiness() == (0, 1, 1), "its slot would point into another model's vectors"
                assert store.chunk_table(snapshot).slots.tolist() == [-1]
            with store.write() as writer:
                writer.activate_identity(_IDENTITY)
            with store.read() as snapshot:
                assert snapshot.readiness() == (1, 0, 0)

    def test_vectors_of_other_dimensions_than_the_identity_says_are_refused(self) -> None:
        with self._with_note(["one"]) as store:
            hashes = _hashes(store)
            wrong = np.ones((1, 5), dtype=np.float32)
            with (
                expect_error(EmbeddingError, "vectors of 5 dimensions under an identity of 4"),
                store.write() as writer,
            ):
                writer.store_vectors(_IDENTITY, hashes, wrong)
            with store.read() as snapshot:
                assert snapshot.readiness() == (0, 1, 0)

    def test_pending_chunks_come_in_pages(self) -> None:
        with self._with_note([f"text {i}" for i in range(5)]) as store, store.read() as snapshot:
            first = snapshot.pending_chunks(0, 2)
            rest = snapshot.pending_chunks(first[-1].chunk_id, 10)
            assert snapshot.pending_count() == 5
        assert [chunk.embedded_text for chunk in first] == ["note\ntext 0", "note\ntext 1"]
        assert len(rest) == 3 and rest[0].chunk_id > first[-1].chunk_id

    def test_the_outbox_keeps_its_work_until_it_is_done(self) -> None:
        with self._opened() as store:
            with store.write() as writer:
                writer.enqueue("tantivy", "upsert", [4, 5])
                writer.enqueue("milvus", "upsert", [4])
                writer.enqueue("tantivy", "delete", [4])
            with store.read() as snapshot:
                waiting = snapshot.outbox("tantivy")
            assert [(work.operation, work.chunk_id) for work in waiting] == [
                ("upsert", 4), ("upsert", 5), ("delete", 4),
            ], f"in the order in which it was left: {waiting}"  # fmt: skip
            with store.write() as writer:
                writer.dequeue(waiting[:2])
            with store.read() as snapshot:
                assert snapshot.outbox("tantivy") == waiting[2:]
                assert len(snapshot.outbox("milvus")) == 1, "another index's work is not touched"

    def test_what_was_committed_is_there_after_opening_again(self) -> None:
        if not self.persistent:
            return
        with TemporaryDirectory() as name:
            store = self.open_store(Path(name))
            _fill(store, ["one", "two"])
            _embed_pending(store)
            with store.write() as writer:
                writer.enqueue("elsewhere", "delete", [1, 2])
                writer.set_meta("language", "english")
            generation, counts, texts = _outline(store)
            store.close()
            store = self.open_store(Path(name))
            try:
                assert _outline(store) == (generation, counts, texts), "another store came back"
                with store.read() as snapshot:
                    assert [work.chunk_id for work in snapshot.outbox("elsewhere")] == [1, 2], "the outbox was lost"
                    assert snapshot.meta("language") == "english"
                    slots = store.chunk_table(snapshot).slots
                    assert np.array_equal(snapshot.vectors(_IDENTITY)[slots], _vectors(2)), "vectors were lost"
            finally:
                store.close()

    def test_a_file_keeps_what_its_rows_were_built_from_apart_from_what_was_seen_last(self) -> None:
        with self._with_note(["text"]) as store:
            seen = observation(1, "note.md", content="newer", mtime=50.0)
            published = observation(1, "note.md")
            with store.write() as writer:
                writer.observe(seen, "failed", "unsupported_encoding", "the bytes are not UTF-8")
            with store.read() as snapshot:
                file = snapshot.file("note.md")
                assert list(snapshot.files()) == [file]
                assert file is not None and snapshot.counts().failed == 1
                assert snapshot.document("note.md") is not None, "the rows that it had stay searchable"
        assert (file.observed_hash, file.rows_hash) == (seen.content_hash, published.content_hash)
        assert (file.write_status, file.error_code) == ("failed", "unsupported_encoding")
        assert file.error_message == "the bytes are not UTF-8"
        assert file.stat == seen.stat and file.observed_at == seen.observed_at and file.rows_at is not None
        made_by = {"reader": file.reader, "chunker": file.chunker, "lexical_identity": file.lexical_identity}
        assert made_by == _MADE_BY

    def test_a_look_without_a_hash_keeps_the_last_hash(self) -> None:
        with self._with_note(["text"]) as store:
            unread = replace(observation(1, "note.md", mtime=9.0), content_hash=None)
            with store.write() as writer:
                writer.observe(unread, "writing", "file_changed_while_reading", "still being written")
            with store.read() as snapshot:
                file = snapshot.file("note.md")
            assert file is not None and file.observed_hash == observation(1, "note.md").content_hash
            assert file.write_status == "writing"
            with store.write() as writer:
                _publish(writer, "note.md", ["text"])
            with store.read() as snapshot:
                file = snapshot.file("note.md")
            assert file is not None and (file.write_status, file.error_code) == ("settled", None), "good again"

    def test_roots_keep_their_order_and_may_move(self) -> None:
        with self._opened() as store:
            with store.write() as writer:
                first, second = writer.add_root("/notes", ""), writer.add_root("/more", "more")
                writer.move_root(first, "/mnt/notes")
            with store.read() as snapshot:
                roots = [(root.id, root.path, root.label) for root in snapshot.roots()]
        assert roots == [(first, "/mnt/notes", ""), (second, "/more", "more")]

    def test_a_file_names_its_root_and_a_published_document_lacks_nothing(self) -> None:
        with self._opened() as store:
            with store.write() as writer:
                writer.add_root("/notes", "")
                document_id, *_ = _publish(writer, "more/note.md", ["text"], root_id=writer.add_root("/more", "more"))
            with store.read() as snapshot:
                file = snapshot.file("more/note.md")
                assert file is not None and snapshot.root_of(file).path == "/more"
                assert snapshot.lost_parts() == snapshot.lost_parts([document_id]) == {}

    def test_the_list_of_skipped_files_is_replaced_root_by_root(self) -> None:
        big = SkippedRecord("big.md", "too_large", "30,000,000 bytes")
        other = SkippedRecord("more/x.bin", "binary", "")
        with self._opened() as store:
            with store.write() as writer:
                first, second = writer.add_root("/notes", ""), writer.add_root("/more", "more")
                writer.replace_skipped(first, [SkippedRecord("gone.md", "ignored", "*.md"), big])
                writer.replace_skipped(second, [other])
                writer.replace_skipped(first, [big])
            with store.read() as snapshot:
                assert snapshot.skipped() == [big, other]
                counts = snapshot.counts()
        assert counts.skipped == 2 and counts.skipped_by_reason == {"binary": 1, "too_large": 1}

    def test_paths_in_any_script_are_kept_apart_and_found(self) -> None:
        paths = ["日記/五月 一日.md", "Ünïcode/naïve.md", "emoji 🛟.md", "it's 100% [odd]_?.md", "A.md", "a.md"]
        with self._opened() as store:
            with store.write() as writer:
                root_id = writer.add_root("/notes", "")
                ids = {_publish(writer, path, [path], root_id=root_id)[0]: path for path in paths}
            with store.read() as snapshot:
                assert snapshot.document_paths() == ids
                for path in paths:
                    file = snapshot.file(path)
                    assert file is not None and (file.path, file.raw_path) == (path, path.encode()), path
                assert [file.path for file in snapshot.files()] == sorted(paths, key=str.encode), "by path"

    def test_tags_find_their_own_passage_or_the_whole_document(self) -> None:
        passages = [
            Passage("prose", tags=("inline",)),
            Passage("seen", "observation", ("bird/heron",)),
            Passage("also seen", "observation", ("birdsong", "Größe")),
        ]
        with self._with_note(passages, tags=("Note",)) as store:
            prose, heron, song = _chunk_ids(store)
            expected = {
                "note": [prose, heron, song],
                "inline": [prose, heron, song],
                "bird": [heron],
                "bird/heron": [heron],
                "birdsong": [song],
                "grösse": [song],
                "bird/her": [],
                "heron": [],
                "absent": [],
            }
            with store.read() as snapshot:
                found = {tag: snapshot.chunk_ids_with_tag(tag).tolist() for tag in expected}
        assert found == expected, f"{found}"

    def test_kinds_and_documents_select_their_chunks(self) -> None:
        with self._with_note(["prose", Passage("seen", "observation"), Passage("linked", "relation")]) as store:
            with store.write() as writer:
                other, _, (elsewhere,) = _publish(writer, "other.md", [Passage("seen too", "observation")])
            prose, seen, linked, _ = _chunk_ids(store)
            with store.read() as snapshot:
                assert snapshot.chunk_ids_of_kinds(["entity"]).tolist() == [prose]
                assert snapshot.chunk_ids_of_kinds(["relation", "observation"]).tolist() == [seen, linked, elsewhere]
                assert snapshot.chunk_ids_of_kinds(["no such kind"]).tolist() == []
                assert snapshot.chunk_ids_of_documents([other]).tolist() == [elsewhere]
                assert snapshot.chunk_ids_of_documents([10**9]).tolist() == []

    def test_dates_are_half_open_ranges(self) -> None:
        with self._opened() as store:
            with store.write() as writer:
                root_id = writer.add_root("/notes", "")
                (early,) = _publish(writer, "early.md", ["a"], root_id=root_id, dated_at=-86_400.0)[2]
                (noon,) = _publish(writer, "noon.md", ["b"], root_id=root_id, dated_at=100.0)[2]
                (late,) = _publish(writer, "late.md", ["c"], root_id=root_id, dated_at=200.5)[2]
            with store.read() as snapshot:
                assert snapshot.chunk_ids_dated(None, None).tolist() == [early, noon, late]
                assert snapshot.chunk_ids_dated(100.0, 200.5).tolist() == [noon], "since is in, until is out"
                assert snapshot.chunk_ids_dated(None, 100.0).tolist() == [early]
                assert snapshot.chunk_ids_dated(200.5, None).tolist() == [late]

    def test_a_touched_file_redates_only_a_document_without_a_date_of_its_own(self) -> None:
        with self._opened() as store:
            with store.write() as writer:
                root_id = writer.add_root("/notes", "")
                dated, _, (own,) = _publish(writer, "dated.md", ["a"], root_id=root_id, date="1970-01-01")
                undated, _, (files,) = _publish(writer, "undated.md", ["b"], root_id=root_id)
                writer.redate(dated, 500.0)
                writer.redate(undated, 500.0)
            with store.read() as snapshot:
                assert snapshot.chunk_ids_dated(500.0, None).tolist() == [files]
                assert snapshot.chunk_ids_dated(None, 500.0).tolist() == [own]

    def test_words_are_suggested_in_their_first_written_form(self) -> None:
        with self._opened() as store:
            with store.write() as writer:
                writer.add_words({"tide": "tides", "tidi": "tidy", "harbour": "harbour", "ébauch": "ébauche"})
                writer.add_words({"tide": "tide"})
            with store.read() as snapshot:
                assert snapshot.similar_words("t", 1, 9, 10) == [("tide", "tides"), ("tidi", "tidy")]
                assert snapshot.similar_words("t", 1, 9, 1) == [("tide", "tides")]
                assert snapshot.similar_words("é", 6, 6, 10) == [("ébauch", "ébauche")]
                assert snapshot.similar_words("t", 5, 9, 10) == []
            with store.write() as writer:
                writer.prune_words()
            with store.read() as snapshot:
                assert snapshot.similar_words("t", 1, 9, 10) == [], "no passage has them"

    def test_the_counts_add_up(self) -> None:
        with self._with_embedded_note(["prose", Passage("seen", "observation")], links=2) as store:
            with store.write() as writer:
                _publish(writer, "other.md", ["more prose"])
                writer.observe(observation(1, "bad.md"), "failed", "unsupported_encoding", "not UTF-8")
            with store.read() as snapshot:
                counts = snapshot.counts()
                table = store.chunk_table(snapshot)
                readiness = snapshot.readiness()
                documents = snapshot.document_paths()
        assert (counts.files, counts.documents, counts.failed) == (3, 2, 1), f"{counts}"
        assert (counts.rows, counts.chunks, counts.links) == (3, 3, 2), f"{counts}"
        assert counts.ready + counts.pending == counts.chunks == len(table.ids)
        assert readiness == (counts.ready, counts.pending, counts.other_identity) == (2, 1, 0)
        assert counts.documents == len(documents)
        assert counts.text_characters == len("prose" + "seen" + "more prose"), f"{counts.text_characters}"
        assert counts.store_bytes > 0

    def test_the_writer_lock_spans_transactions_and_is_free_afterwards(self) -> None:
        with self._opened() as store:
            for _ in range(2):
                with store.lock("a test"):
                    with store.write() as writer:
                        writer.set_meta("step", 1)
                    with store.write() as writer:
                        writer.set_meta("step", 2)
            with store.read() as snapshot:
                assert snapshot.meta("step") == 2

    @contextmanager
    def _opened(self) -> Iterator[Store]:
        with TemporaryDirectory() as name:
            store = self.open_store(Path(name))
            try:
                yield store
            finally:
                store.close()

    @contextmanager
    def _with_note(
        self, passages: Sequence[Passage | str], *, tags: tuple[str, ...] = (), links: int = 0
    ) -> Iterator[Store]:
        with self._opened() as store:
            _fill(store, passages, tags, links)
            yield store

    @contextmanager
    def _with_embedded_note(self, passages: Sequence[Passage | str], *, links: int = 0) -> Iterator[Store]:
        with self._with_note(passages, links=links) as store:
            _embed_pending(store)
            yield store


class _DeliberateError(Exception):
    pass


def _fill(store: Store, passages: Sequence[Passage | str], tags: tuple[str, ...] = (), links: int = 0) -> None:
    """One root, an active identity, and `note.md` with these passages, pending."""
    with store.write() as writer:
        root_id = writer.add_root("/notes", "")
        writer.activate_identity(_IDENTITY)
        _publish(writer, "note.md", passages, root_id=root_id, tags=tags, links=links)


def _publish(
    writer: Writer,
    path: str,
    passages: Sequence[Passage | str],
    *,
    root_id: int = 1,
    content: str = "content",
    tags: tuple[str, ...] = (),
    date: str | None = None,
    dated_at: float = 0.0,
    links: int = 0,
) -> tuple[int, list[int], list[int]]:
    mentions = tuple(Link("wikilink", "mention", f"target {i}", 1) for i in range(links))
    document, chunks = note("note", passages, tags=tags, date=date, links=mentions)
    look = observation(root_id, path, content)
    return writer.replace_document(look, document, chunks, [1.0] * len(chunks), _MADE_BY, dated_at)


def _embed_pending(store: Store) -> None:
    with store.read() as snapshot:
        hashes = [chunk.embedded_hash for chunk in snapshot.pending_chunks(0, 10_000)]
    with store.write() as writer:
        writer.store_vectors(_IDENTITY, hashes, _vectors(len(hashes)))


def _vectors(count: int) -> NDArray[np.float32]:
    """Unit vectors, all different, the same ones each time."""
    angles = np.arange(1, count + 1) / (count + 1)
    flat = np.zeros(count)
    return np.stack([np.cos(angles), np.sin(angles), flat, flat], axis=1).astype(np.float32)


def _hashes(store: Store) -> list[bytes]:
    with store.read() as snapshot:
        return [bytes.fromhex(record.embedded_hash) for record in _records(snapshot)]


def _chunk_ids(store: Store) -> list[int]:
    """The ids of all chunks, ascending."""
    with store.read() as snapshot:
        ids: list[int] = store.chunk_table(snapshot).ids.tolist()
    return ids


def _generation(store: Store) -> int:
    with store.read() as snapshot:
        return snapshot.generation


def _records(snapshot: Snapshot) -> list[ChunkRecord]:
    return list(snapshot.chunks(snapshot.chunk_table().ids.tolist()).values())


def _outline(store: Store) -> tuple[int, tuple[int, int, int], list[str]]:
    with store.read() as snapshot:
        counts = snapshot.counts()
        figures = (counts.documents, counts.chunks, counts.ready)
        return snapshot.generation, figures, [record.text for record in _records(snapshot)]
