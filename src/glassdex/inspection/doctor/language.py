"""Whether the model knows the script of the texts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from glassdex.embedding.minilm import MiniLmEmbedder
from glassdex.inspection.doctor.findings import Finding, first
from glassdex.inspection.doctor.patient import Patient
from glassdex.storage.sqlite import checkup
from glassdex.wording import counted

NON_LATIN_SHARE = 0.5
"""Of a document's letters, above which the English model does not know its script."""
FOREIGN_SHARE = 0.1
"""Of the documents, above which such ones are worth a warning."""

_LETTER = re.compile(r"[^\W\d_]")
_LATIN = re.compile("[A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff\u2c60-\u2c7f\ua720-\ua7ff\ufb00-\ufb06]")


def language(patient: Patient) -> Iterator[Finding]:
    """Documents whose script the shipped model was not made for."""
    if patient.embedding_identity != MiniLmEmbedder().identity:
        return
    letters: dict[str, list[int]] = {}
    for path, text in checkup.texts(patient.snapshot):
        seen = letters.setdefault(path, [0, 0])
        every = len(_LETTER.findall(text))
        seen[0] += every
        seen[1] += every if text.isascii() else len(_LATIN.findall(text))
    foreign = [path for path, (every, latin) in letters.items() if every - latin > NON_LATIN_SHARE * every]
    if foreign:
        message = f"{counted(len(foreign), 'document')} mostly in a script that the English model does not know"
        remedy = "search by meaning is near random there; search by words works"
        yield Finding(
            "language_mismatch",
            "warning" if len(foreign) > FOREIGN_SHARE * len(letters) else "note",
            len(foreign),
            message,
            remedy,
            f"glassdex search --project {patient.project} --mode lexical WORDS",
            first(foreign),
        )
