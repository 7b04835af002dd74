"""A reranker behind a URL, against a real server that fails in all the ways that servers do."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from glassdex.errors import RerankError
from glassdex.reranking import Reranker
from glassdex.reranking.http import HttpReranker
from glassdex.reranking.services import RerankApi, RerankService
from glassdex.services.web import ATTEMPTS, MAX_ANSWER_BYTES
from glassdex.testing import RerankerConformance
from tests.reranking.services import ENDLESS, Answer, Service, as_cohere, as_tei, dripping, serving

PASSAGES = ("bread rises", "the tide turns at noon", "tide gauge")
KEY = "secret-key-1"


def reranker(service: Service | str, api: RerankApi = "cohere", *, pauses: list[float] | None = None, **more: Any):
    url = service if isinstance(service, str) else service.url
    kept = [] if pauses is None else pauses
    return HttpReranker(RerankService("mine", url, api, **more), pause=kept.append)


@pytest.fixture(scope="module", params=["cohere", "jina", "tei"])
def honest(request: pytest.FixtureRequest) -> Iterator[Reranker]:
    with serving(as_tei if request.param == "tei" else as_cohere) as service:
        yield reranker(service, request.param)


class TestHttpReranker(RerankerConformance):
    ordered = ("when does the tide turn", "the tide may turn", "bread rises")
    served: Reranker

    @pytest.fixture(autouse=True)
    def _serve(self, honest: Reranker) -> None:
        self.served = honest

    def reranker(self) -> Reranker:
        return self.served


def test_the_question_has_the_form_of_cohere():
    with serving(as_cohere) as service:
        scores = reranker(service, model="rerank-1", key=KEY).rerank("tide gauge", PASSAGES)
    assert scores == [0.0, 0.5, 1.0]
    assert service.questions == [{"query": "tide gauge", "documents": list(PASSAGES), "top_n": 3, "model": "rerank-1"}]
    assert service.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert service.headers[0]["Content-Type"] == "application/json"


def test_the_question_has_the_form_of_jina_and_tei():
    with serving(as_cohere) as service:
        reranker(service, "jina").rerank("tide", PASSAGES)
    assert service.questions == [{"query": "tide", "documents": list(PASSAGES), "top_n": 3, "return_documents": False}]
    assert "Authorization" not in service.headers[0]
    with serving(as_tei) as service:
        reranker(service, "tei").rerank("tide", PASSAGES)
    assert service.questions == [{"query": "tide", "texts": list(PASSAGES), "truncate": True}]


def test_many_passages_go_in_groups_and_no_passages_go_nowhere():
    with serving(as_tei) as service:
        asked = reranker(service, "tei", texts_a_request=2)
        assert asked.rerank("tide gauge", PASSAGES) == [0.0, 0.5, 1.0]
        assert [len(question["texts"]) for question in service.questions] == [2, 1]
        assert asked.rerank("tide", []) == []
    assert len(service.questions) == 2


GOOD = [{"index": 0, "relevance_score": 0.1}, {"index": 1, "relevance_score": 0.2}, {"index": 2, "score": 0.3}]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<html>busy</html>", "did not answer with JSON"),
        (b"", "did not answer with JSON"),
        (b"\xff\xfe\x00", "did not answer with JSON"),
        (b"[" * 100_000, "did not answer with JSON"),
        ({"error": "no"}, "answered without a list of results"),
        ("words", "answered without a list of results"),
        ({"results": GOOD[:2]}, "scored 2 of 3 passages"),
        ([], "scored 0 of 3 passages"),
        ({"results": [*GOOD, GOOD[0]]}, "scored passage 0 twice"),
        ({"results": [*GOOD, {"index": 3, "score": 1}]}, "answered for passage 3 of 3"),
        ({"results": [{"index": -1, "score": 1}]}, "answered for passage -1 of 3"),
        ({"results": [{"index": "0", "score": 1}]}, "answered for passage '0' of 3"),
        ({"results": [{"index": True, "score": 1}]}, "answered for passage True of 3"),
        ({"results": [{"score": 1}]}, "answered for passage None of 3"),
        ({"results": [7]}, "answered with the result 7"),
        ({"results": [{"index": 0, "score": "0.4"}]}, "gave passage 0 the score '0.4'"),
        ({"results": [{"index": 0, "score": None}]}, "gave passage 0 the score None"),
        ({"results": [{"index": 0, "score": True}]}, "gave passage 0 the score True"),
        (b'[{"index": 0, "score": NaN}]', "gave passage 0 a score that is not finite"),
        (b'[{"index": 0, "score": -Infinity}]', "gave passage 0 a score that is not finite"),
        (b'[{"index": 0, "score": 1e999}]', "gave passage 0 a score that is not finite"),
        (b'[{"index": 0, "score": 1' + b"0" * 400 + b"}]", "gave passage 0 a score that is not finite"),
        (b" " * (MAX_ANSWER_BYTES + 1), "answered with more than 4,000,000 bytes"),
    ],
)
def test_an_answer_that_is_no_scores_is_an_error(body: object, message: str):
    with serving(lambda _: Answer(body)) as service, pytest.raises(RerankError, match="reranker 'mine'") as raised:
        reranker(service).rerank("tide", PASSAGES)
    assert message in raised.value.message
    assert raised.value.code == "rerank_failed"
    assert "[rerankers.mine]" in raised.value.suggestion
    assert len(service.questions) == 1, "a wrong answer is not asked for again"


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_passing_failure_is_tried_again_and_not_for_ever(status: int):
    pauses: list[float] = []
    with (
        serving(lambda _: Answer({"detail": "too many"}, status)) as service,
        pytest.raises(RerankError, match=f'answered {status} after 3 attempts: {{"detail": "too many"}}'),
    ):
        reranker(service, pauses=pauses).rerank("tide", PASSAGES)
    assert len(service.questions) == ATTEMPTS
    assert pauses == [0.25, 1.0]


def test_the_attempt_that_succeeds_counts():
    answers = [Answer(b"", 503, {"Retry-After": "1"}), Answer(b"", 429)]
    pauses: list[float] = []
    with serving(lambda question: answers.pop(0) if answers else as_cohere(question)) as service:
        assert reranker(service, pauses=pauses).rerank("tide gauge", PASSAGES) == [0.0, 0.5, 1.0]
    assert pauses == [1.0, 1.0], "the service's own word first"


def test_a_service_that_wants_a_long_pause_is_not_waited_for():
    pauses: list[float] = []
    with (
        serving(lambda _: Answer(b"", 429, {"Retry-After": "3600"})) as service,
        pytest.raises(RerankError, match="answered 429"),
    ):
        reranker(service, pauses=pauses).rerank("tide", PASSAGES)
    assert (len(service.questions), pauses) == (1, [])


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_a_refusal_is_final_and_the_key_is_never_repeated(status: int):
    with (
        serving(lambda _: Answer({"error": f"wrong key {KEY}"}, status)) as service,
        pytest.raises(RerankError, match=f"answered {status}: ") as raised,
    ):
        reranker(service, key=KEY).rerank("tide", PASSAGES)
    assert len(service.questions) == 1
    assert KEY not in raised.value.message + raised.value.suggestion
    assert KEY not in repr(RerankService("mine", service.url, key=KEY))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_does_not_carry_the_key_elsewhere(status: int):
    with serving(as_cohere) as elsewhere:
        moved = Answer(b"", status, {"Location": elsewhere.url})
        with serving(lambda _: moved) as service, pytest.raises(RerankError, match=f"answered {status}"):
            reranker(service, key=KEY).rerank("tide", PASSAGES)
    assert elsewhere.questions == []


def test_a_service_that_does_not_answer_is_given_up():
    answered = threading.Event()

    def wait(question: dict[str, Any]) -> Answer:
        answered.wait(10)
        return as_cohere(question)

    with serving(wait) as service:
        try:
            with pytest.raises(RerankError, match=r"did not answer within 0\.05 s"):
                reranker(service, timeout_seconds=0.05).rerank("tide", PASSAGES)
        finally:
            answered.set()
    assert len(service.questions) == 1, "who is slow once is not asked again"


@pytest.mark.parametrize("what", ENDLESS)
def test_a_service_that_sends_without_end_is_given_up(what: str):
    given_up = r"answered 400$" if what == "an error" else r"did not answer within 0\.2 s"
    with dripping(*ENDLESS[what]) as (url, left):
        with pytest.raises(RerankError, match=given_up):
            reranker(url, timeout_seconds=0.2).rerank("tide", PASSAGES)
        assert left.wait(3), "the connection is closed before the service is done"


def test_the_attempts_share_one_time_out():
    pauses: list[float] = []
    with serving(lambda _: Answer(b"", 503)) as service, pytest.raises(RerankError, match=r"answered 503$"):
        reranker(service, pauses=pauses, timeout_seconds=0.2).rerank("tide", PASSAGES)
    assert (len(service.questions), pauses) == (1, []), "no time is left for a pause and another attempt"


def test_a_service_that_is_not_there_is_said():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/rerank"
        with pytest.raises(RerankError, match="cannot be reached"):
            reranker(url).rerank("tide", PASSAGES)


def test_a_connection_that_ends_early_is_an_error():
    with (
        serving(lambda _: Answer(b"[", 200, {"Content-Length": "500"})) as service,
        pytest.raises(RerankError, match="reranker 'mine'"),
    ):
        reranker(service, timeout_seconds=0.2).rerank("tide", PASSAGES)


def test_a_proxy_of_the_environment_does_not_see_what_stays_on_this_machine(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with serving(as_cohere) as proxy, serving(as_cohere) as service:
        monkeypatch.setenv("http_proxy", proxy.url)
        reranker(service).rerank("tide", PASSAGES)
    assert (len(proxy.questions), len(service.questions)) == (0, 1)


def test_the_identity_tells_model_and_host_and_no_secret():
    made = reranker("https://api.example.org/v1/rerank?token=abc", model="rerank-1", key=KEY)
    assert made.identity == "http rerank-1 at api.example.org"
    assert reranker("http://localhost:8080/rerank", "tei").identity == "http tei at localhost:8080"
