"""A rewriter behind a URL, against a real server that fails in all the ways that servers do."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from glassdex.errors import RewriteError
from glassdex.rewriting import FurtherWords, Rewriter
from glassdex.rewriting.http import MAX_WORDS, HttpRewriter
from glassdex.rewriting.services import RewriteKind, RewriteService
from glassdex.services.web import ATTEMPTS, MAX_ANSWER_BYTES
from glassdex.testing import RewriterConformance
from tests.reranking.services import ENDLESS, Answer, Service, dripping, serving

KEY = "secret-key-1"


def says(text: object) -> Answer:
    """What a chat completion looks like."""
    message = {"role": "assistant", "content": text}
    return Answer({"id": "1", "object": "chat.completion", "choices": [{"index": 0, "message": message}], "usage": {}})


def repeats(question: dict[str, Any]) -> Answer:
    """A model that has one thing to say to each query."""
    query = question["messages"][-1]["content"]
    return says(f"water level\nebb\nflood of {len(query)}")


def rewriter(service: Service | str, kind: RewriteKind = "hyde", *, pauses: list[float] | None = None, **more: Any):
    url = service if isinstance(service, str) else service.url
    kept = [] if pauses is None else pauses
    return HttpRewriter(RewriteService("mine", url, kind, **more), pause=kept.append)


@pytest.fixture(scope="module", params=["expansion", "hyde"])
def honest(request: pytest.FixtureRequest) -> Iterator[Rewriter]:
    with serving(repeats) as service:
        yield rewriter(service, request.param)


class TestHttpRewriter(RewriterConformance):
    served: Rewriter

    @pytest.fixture(autouse=True)
    def _serve(self, honest: Rewriter) -> None:
        self.served = honest

    def rewriter(self) -> Rewriter:
        return self.served


def test_the_question_is_a_chat_completion_that_is_to_be_the_same_every_time():
    with serving(repeats) as service:
        rewriter(service, model="llama3.2", key=KEY, max_tokens=99).rewrite("tide gauge")
    (question,) = service.questions
    assert [message["role"] for message in question["messages"]] == ["system", "user"]
    assert question["messages"][1]["content"] == "tide gauge"
    assert {name: question[name] for name in question if name != "messages"} == {
        "model": "llama3.2",
        "temperature": 0,
        "max_tokens": 99,
        "stream": False,
    }
    assert service.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_a_passage_is_a_text_and_terms_are_words():
    with serving(lambda _: says("  The tide turns\nat noon. ")) as service:
        made = rewriter(service).rewrite("tide")
    assert (made.texts, made.words) == (("The tide turns\nat noon.",), ())
    with serving(lambda _: says("1. ebb\n- water level, flood\n\n* 3 knots; \n")) as service:
        made = rewriter(service, "expansion", word_weight=0.5).rewrite("tide")
        assert "model" not in service.questions[0]
    assert [words.text for words in made.words] == ["ebb", "water level", "flood", "3 knots"]
    assert made.words[0] == FurtherWords("ebb", 0.5)
    assert made.texts == ()


def test_what_a_model_thinks_aloud_is_no_answer():
    with serving(lambda _: says("<think>tide… ebb?</think>\nThe tide turns.")) as service:
        assert rewriter(service).rewrite("tide").texts == ("The tide turns.",)
    with (
        serving(lambda _: says("<think>tide… ebb?")) as service,
        pytest.raises(RewriteError, match="not done with thinking"),
    ):
        rewriter(service).rewrite("tide")


def test_a_model_that_rambles_is_cut():
    with serving(lambda _: says("\n".join(f"word{n}" for n in range(5_000)))) as service:
        assert len(rewriter(service, "expansion").rewrite("tide").words) == MAX_WORDS


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<html>busy</html>", "did not answer with JSON"),
        (b"", "did not answer with JSON"),
        (b"\xff\xfe\x00", "did not answer with JSON"),
        (b"[" * 100_000, "did not answer with JSON"),
        (b" " * (MAX_ANSWER_BYTES + 1), "answered with more than 4,000,000 bytes"),
        ("words", "answered without a message"),
        (None, "answered without a message"),
        ([], "answered without a message"),
        ({"error": "no"}, "answered without a message"),
        ({"choices": []}, "answered without a message"),
        ({"choices": {}}, "answered without a message"),
        ({"choices": [7]}, "answered without a message"),
        ({"choices": [{"text": "tide"}]}, "answered without a message"),
        ({"choices": [{"message": "tide"}]}, "answered without a message"),
        ({"choices": [{"message": {"content": None}}]}, "answered with a message that is no text"),
        ({"choices": [{"message": {"content": ["tide"]}}]}, "answered with a message that is no text"),
        ({"choices": [{"message": {"content": " \n "}}]}, "answered with an empty message"),
        ({"choices": [{"message": {"content": "<think>hm</think>"}}]}, "answered with an empty message"),
    ],
)
def test_an_answer_that_is_no_text_is_an_error(body: object, message: str):
    with serving(lambda _: Answer(body)) as service, pytest.raises(RewriteError, match="rewriter 'mine'") as raised:
        rewriter(service).rewrite("tide")
    assert message in raised.value.message
    assert raised.value.code == "rewrite_failed"
    assert "[rewriters.mine]" in raised.value.suggestion
    assert len(service.questions) == 1, "a wrong answer is not asked for again"


def test_a_passing_failure_is_tried_again_and_not_for_ever():
    pauses: list[float] = []
    with (
        serving(lambda _: Answer({"detail": "loading"}, 503)) as service,
        pytest.raises(RewriteError, match=f'answered 503 after {ATTEMPTS} attempts: {{"detail": "loading"}}'),
    ):
        rewriter(service, pauses=pauses).rewrite("tide")
    assert (len(service.questions), pauses) == (ATTEMPTS, [0.25, 1.0])


@pytest.mark.parametrize("status", [400, 401, 404, 422])
def test_a_refusal_is_final_and_the_key_is_never_repeated(status: int):
    with (
        serving(lambda _: Answer({"error": f"wrong key {KEY}"}, status)) as service,
        pytest.raises(RewriteError, match=f"answered {status}: ") as raised,
    ):
        rewriter(service, key=KEY).rewrite("tide")
    assert len(service.questions) == 1
    assert KEY not in raised.value.message + raised.value.suggestion
    assert KEY not in repr(RewriteService("mine", service.url, "hyde", key=KEY))


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_carries_neither_key_nor_query_elsewhere(status: int):
    with serving(repeats) as elsewhere:
        moved = Answer(b"", status, {"Location": elsewhere.url})
        with serving(lambda _: moved) as service, pytest.raises(RewriteError, match=f"answered {status}"):
            rewriter(service, key=KEY).rewrite("tide")
    assert elsewhere.questions == []


def test_a_service_that_does_not_answer_is_given_up():
    answered = threading.Event()

    def wait(question: dict[str, Any]) -> Answer:
        answered.wait(10)
        return repeats(question)

    with serving(wait) as service:
        try:
            with pytest.raises(RewriteError, match=r"did not answer within 0\.05 s"):
                rewriter(service, timeout_seconds=0.05).rewrite("tide")
        finally:
            answered.set()
    assert len(service.questions) == 1, "who is slow once is not asked again"


@pytest.mark.parametrize("what", ENDLESS)
def test_a_service_that_sends_without_end_is_given_up(what: str):
    given_up = r"answered 400$" if what == "an error" else r"did not answer within 0\.2 s"
    with dripping(*ENDLESS[what]) as (url, left):
        with pytest.raises(RewriteError, match=given_up):
            rewriter(url, timeout_seconds=0.2).rewrite("tide")
        assert left.wait(3), "the connection is closed before the service is done"


def test_a_service_that_is_not_there_is_said():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(RewriteError, match="cannot be reached"):
            rewriter(f"http://127.0.0.1:{unused.getsockname()[1]}/v1").rewrite("tide")


def test_the_identity_tells_model_and_host_and_no_secret():
    made = rewriter("https://api.example.org/v1/chat?token=abc", model="m-1", key=KEY)
    assert made.identity == "http m-1 at api.example.org"
    assert rewriter("http://localhost:11434/v1/chat/completions").identity == "http unnamed at localhost:11434"
