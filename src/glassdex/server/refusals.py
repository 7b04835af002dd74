"""What is refused before any of it is looked at: by its size, by who asks, and under which name."""

from __future__ import annotations

import base64
import hashlib
import hmac
import ipaddress
import re
from collections.abc import Mapping, Sequence

from starlette.responses import Response

from glassdex.server.config import ServerConfig, is_loopback
from glassdex.server.problems import problem

MAX_URL = 8_192
"""Characters of path and query, as sent."""
MAX_HEADERS = 100
MAX_HEADER_BYTES = 16_384
API = "/api/"
_HOST = re.compile(r"(?:\[(?P<six>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))(?::[0-9]{1,5})?", re.IGNORECASE)

Headers = Sequence[tuple[bytes, bytes]]


def refusal(config: ServerConfig, scope: Mapping[str, object], request_id: str) -> Response | None:
    """The answer to a request that is not let in; nothing where it is.

    A page elsewhere can have a browser send requests here, and can have its own name lead here (DNS rebinding): names
    that are not ours, and origins and fetches that are not from here, are refused.
    """
    headers = scope["headers"]
    assert isinstance(headers, list)
    found = (
        _too_large(scope, headers)
        or _host_refused(config, headers)
        or _origin_refused(scope, headers)
        or _not_allowed(config, headers)
    )
    if found is None:
        return None
    status, code, detail, suggestion = found
    for_people = any("text/html" in accepted for accepted in _values(headers, b"accept"))
    scheme = "Basic" if for_people else "Bearer"  # a browser can ask its user for the former
    more = {"WWW-Authenticate": f'{scheme} realm="glassdex"'} if status == 401 else {}
    return problem(status, code, detail, suggestion=suggestion, request_id=request_id, headers=more)


_Refused = tuple[int, str, str, str]


def _too_large(scope: Mapping[str, object], headers: Headers) -> _Refused | None:
    path, query = scope.get("raw_path") or b"", scope.get("query_string") or b""
    assert isinstance(path, bytes)
    assert isinstance(query, bytes)
    if len(path) + len(query) > MAX_URL:
        return 414, "url_too_long", f"the address is longer than {MAX_URL:,} bytes", "send a body: POST"
    if len(headers) > MAX_HEADERS or sum(len(name) + len(value) for name, value in headers) > MAX_HEADER_BYTES:
        return 431, "headers_too_large", f"the headers are more than {MAX_HEADERS}, or {MAX_HEADER_BYTES:,} bytes", ""
    return None


def _host_refused(config: ServerConfig, headers: Headers) -> _Refused | None:
    hosts = _values(headers, b"host")
    name = _host_name(hosts[0]) if len(hosts) == 1 else None
    if name is not None and (name in config.names or _is_allowed_address(config, name)):
        return None
    return (
        421,
        "host_refused",
        "the Host header does not name this server",
        "call it by its address, or start it with --allow-host NAME",
    )


def _is_allowed_address(config: ServerConfig, name: str) -> bool:
    """An address cannot be made to lead elsewhere, as a name can; beyond loopback every one of ours will do."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return config.beyond_loopback or is_loopback(name)


def _origin_refused(scope: Mapping[str, object], headers: Headers) -> _Refused | None:
    host = (_values(headers, b"host") or [""])[0]
    origins = [origin.lower() for origin in _values(headers, b"origin")]
    if any(origin not in (f"http://{host}".lower(), f"https://{host}".lower()) for origin in origins):
        return 403, "origin_refused", "the request comes from a page of another origin", ""
    sites = _values(headers, b"sec-fetch-site")
    if all(site.lower() in ("same-origin", "none") for site in sites):
        return None
    followed = _values(headers, b"sec-fetch-mode") == ["navigate"] and _values(headers, b"sec-fetch-dest") == [
        "document"
    ]
    is_page = not str(scope["path"]).startswith(API) and scope["method"] in ("GET", "HEAD")
    if followed and is_page:  # a link to a page may be followed from anywhere
        return None
    return 403, "origin_refused", "the request was made by a page of another site", ""


def _not_allowed(config: ServerConfig, headers: Headers) -> _Refused | None:
    if config.token is None:
        return None
    given = _values(headers, b"authorization")
    if len(given) == 1 and same_token(_token_in(given[0]), config.token):
        return None
    return 401, "unauthorized", "this server asks for a token", "send it: Authorization: Bearer TOKEN"


def _token_in(authorization: str) -> str:
    """The token of `Bearer TOKEN`, or the password of `Basic`, as a browser sends it under any name."""
    scheme, _, value = authorization.partition(" ")
    if scheme.lower() == "bearer":
        return value.strip()
    if scheme.lower() != "basic":
        return ""
    try:
        return base64.b64decode(value.strip(), validate=True).decode("utf-8", "replace").partition(":")[2]
    except ValueError:
        return ""


def same_token(given: str, expected: str) -> bool:
    """Whether two tokens are the same, in a time that tells nothing about them, not even their length."""
    first, second = (hashlib.sha256(token.encode("utf-8", "replace")).digest() for token in (given, expected))
    return hmac.compare_digest(first, second)


def _host_name(header: str) -> str | None:
    match = _HOST.fullmatch(header)
    return None if match is None else (match["six"] or match["name"]).lower().rstrip(".")


def _values(headers: Headers, name: bytes) -> list[str]:
    return [value.decode("latin-1").strip() for key, value in headers if key.lower() == name]
