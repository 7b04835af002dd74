"""How a server is set up."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass, field

from glassdex.errors import InvalidRequest

MIN_TOKEN = 16
LOOPBACK_NAMES = frozenset({"localhost"})


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """`names` are the host names, besides IP addresses, under which the server answers.

    Without `beyond_loopback` an address has to be one of this machine's own (127.0.0.0/8, ::1). `token` is asked of
    every request where there is one. `project` is meant where a request names none.
    """

    names: frozenset[str] = LOOPBACK_NAMES
    beyond_loopback: bool = False
    token: str | None = field(default=None, repr=False)
    project: str | None = None
    passwords: tuple[str, ...] = field(default=(), repr=False)
    log_queries: bool = False


def is_loopback(host: str) -> bool:
    """Whether an address or name stands for this machine alone; other names are not looked up."""
    if host.lower() in LOOPBACK_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def make_config(
    host: str,
    *,
    token: str | None = None,
    allowed: Sequence[str] = (),
    project: str | None = None,
    passwords: Sequence[str] = (),
    log_queries: bool = False,
) -> ServerConfig:
    """The set-up for listening on `host`; `allowed` are further names by which clients may call it.

    Raises:
        InvalidRequest: beyond loopback without a token, or a token that is too short or no ASCII.
    """
    beyond = not is_loopback(host)
    if beyond and token is None:
        raise InvalidRequest(
            f"{host} can be reached by other machines, so a token is needed",
            "--token-file FILE, or GLASSDEX_TOKEN; or leave --host out",
        )
    if token is not None and (len(token) < MIN_TOKEN or not token.isascii() or not token.isprintable() or " " in token):
        raise InvalidRequest(
            f"the token is no word of at least {MIN_TOKEN} ASCII characters",
            'make one: python -c "import secrets; print(secrets.token_urlsafe(32))"',
        )
    names = {name.lower().rstrip(".") for name in (host, *allowed)} | LOOPBACK_NAMES
    return ServerConfig(frozenset(names), beyond, token, project, tuple(passwords), log_queries)
