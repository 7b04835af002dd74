"""Secrets known by what stands around them: key blocks, headers, addresses, `name = value`."""

from __future__ import annotations

import re

from glassdex.redaction.assignments import argument, argument_of, behind, cookies, option, password, secret
from glassdex.redaction.keys import lines_after, lines_before
from glassdex.redaction.rule import END, LETTERS, Rule, any_after
from glassdex.redaction.values import (
    is_key_body,
    is_login,
    is_password,
    is_random,
    is_random_or_password,
    is_secret_key,
    is_typed_password,
    is_url_password,
    is_varied,
)

_PRINTABLE = bytes(range(0x21, 0x7F)).lower()

_QUOTE = rb"(?:\\{0,7}[\"'`])"
_OPERATOR = _QUOTE + rb"?\]?[ \t]{0,8}(?::=|=>|={1,3}|:|(?<![ \t])>)[ \t]{0,8}"
_TYPE = (
    rb":[ \t]{0,4}(?:typing\.)?(?i:optional\[)?(?i:str|string|secretstr)\]?"
    rb"(?:[ \t]?\|[ \t]?(?i:none|null|undefined))?"
)
_ASSIGNMENT = (
    rb"(?P<closing>" + _QUOTE + rb"?\]?)"
    rb"(?P<operator>[ \t]{0,8}(?:" + _TYPE + rb"[ \t]{0,4}=|:=|=>|={1,3}|:|(?<![ \t])>)[ \t]{0,8})"
    rb"(?:[BbFfRrUu]{1,2}(?=[\"']))?"
)
_ARGUMENT = rb"(?:(?P<quote>\\{0,7}[\"'])%s(?P<quoted>[^\"'\\\r\n]{1,256}+)(?P=quote)|%s(?P<bare>[^\s\"'`\\]{1,256}+))"
_SUFFIX = (
    rb"(?i:[_-]?(?:value|prod(?:uction)?|dev(?:elopment)?|test(?:ing)?|staging|live|primary|secondary|base64"
    rb"|[0-9]{1,3}))?"
)

_SECRET_NAME = (
    rb"(?i:token|secret(?:[_-]?(?:access[_-]?)?key)?|api[_-]?key(?:[_-]?secret)?|credentials?|access[_-]?key"
    rb"|(?<=acces)s[_-]?key|(?<=priva)te[_-]?key|(?<=[_-]aut)h[_-]?key|(?<=encryptio)n[_-]?key|(?<=signin)g[_-]?key)"
)
_PASSWORD_NAME = rb"(?i:(?<=p)assw(?:or)?d|(?<=p)assphrase|pwd)"
_LOGIN_BEFORE = re.compile(rb"(?:(?<!\w)machine\s+\S+|(?<!\w)default)\s+l\Z", re.IGNORECASE)

_OPTIONS = tuple(
    b"--" + letters
    for letters in rb"to se ap ac cl pa au db us ad ro my re ma ne ol da pg sm ht pr lo ba st ke gi".split()
)


def _assigned(name: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"(?P<word>" + name + rb")" + _SUFFIX + _ASSIGNMENT)


def _argument(user: bytes) -> bytes:
    """A command's argument, quoted or not, behind a user and a colon where it has them."""
    return _ARGUMENT % (user, user)


CONTEXTS: tuple[Rule, ...] = (
    Rule("private key", (b"begin",), re.compile(
        rb"(?<=-----)BEGIN (?:[A-Z0-9]{2,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        rb"(?:((?:[^-]|-(?!----)){16,65536}+)(?=-----END)|((?:(?:\\{1,7}[nr]|[\s\"'+,>|]){1,8}[A-Za-z0-9+/=]{40,}+){1,}+))"),
        is_key_body, "RFC 7468; RFC 4880 section 6.2; OpenSSH PROTOCOL.key"),
    Rule("private key", (b"begin",), re.compile(
        rb"(?<=-----)BEGIN (?:[A-Z0-9]{2,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----"), is_varied,
        "RFC 7468: a key that is cut short", lines_after),
    Rule("private key", (b"-end",), re.compile(
        rb"-END (?:[A-Z0-9]{2,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----"), is_varied,
        "RFC 7468: the end of a key", lines_before),
    Rule("private key", (b"private-lines",), re.compile(
        rb"Private-Lines: [0-9]{1,4}((?:(?:\\{1,7}[nr]|\s){1,2}[A-Za-z0-9+/=]{4,64}+)+)"),
        is_varied, "PuTTY manual, appendix C: PPK file format"),
    Rule("aws secret key", (b"secret_access_key", b"secretaccesskey", b"secret-access-key"), re.compile(
        rb"(?i:secret[_-]?access[_-]?key)" + _OPERATOR + _QUOTE + rb"?([A-Za-z0-9+/]{40,128}={0,2})(?![\w+/=])"),
        is_secret_key, "AWS CLI User Guide: Configuration and credential file settings"),
    Rule("azure storage key", (b"accountkey=", b"sharedaccesskey="), re.compile(
        rb"(?i:(?:Account|SharedAccess)Key)=([A-Za-z0-9+/]{40,100}={0,2})"), is_varied,
        "Azure Storage docs: Configure connection strings; Service Bus docs: Connection strings"),
    Rule("azure signature", (b"?sig=", b"&sig="), re.compile(rb"[?&]sig=([A-Za-z0-9%+/]{40,120}={0,2})"), is_varied,
        "Azure Storage docs: Create a service SAS"),
    Rule("webhook", (b"slack.com",), re.compile(
        rb"(?<=hooks\.)slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/-]{20,200})"), is_varied,
        "Slack docs: Sending messages using incoming webhooks"),
    Rule("webhook", (b"webhooks/",), re.compile(rb"(?<=\.com/api/)webhooks/[0-9]{15,22}/([\w-]{50,100})"), is_varied,
        "Discord docs: Webhook resource"),
    Rule("authorization", (b"orization",), re.compile(
        rb"(?<=(?i:auth))(?i:orization)" + _OPERATOR + _QUOTE + rb"?(?i:bearer|basic|token|apikey|digest)[ \t]{1,8}"
        rb"([A-Za-z0-9._~+/-]{8,8192}+={0,2})"), is_random_or_password,
        "RFC 9110 section 11.6.2; RFC 6750; RFC 7617"),
    Rule("authorization", any_after(b"bea", b"r"), re.compile(
        rb"(?i:bearer)(?:[ \t]{1,8}|%20)([A-Za-z0-9._~+/-]{16,8192}+={0,2})"), is_random, "RFC 6750 section 2.1"),
    Rule("url password", any_after(b"://", _PRINTABLE), re.compile(
        rb"://[^\s:@/?#\"'<>\\`]{0,128}+:([^\s/?#@\"'<>\\`]{1,256}+)@"), is_url_password, "RFC 3986 section 3.2.1"),
    Rule("cookie", (b"okie\":", b"okie:", b"okie\\", b"okie'"), re.compile(
        rb"(?<=(?i:co))(?i:okie)" + _QUOTE + rb"?[ \t]{0,8}:[ \t]{0,8}" + _QUOTE + rb"?([^\r\n\"'\\]{16,8192}+)"),
        is_random, "RFC 6265 section 4", cookies),
    Rule("registry login", (b"uth\"", b"uth\\"), re.compile(
        rb"(?<=\"a)uth\\{0,7}\"[ \t]{0,8}:[ \t]{0,8}\\{0,7}\"([A-Za-z0-9+/]{8,4096}+={0,2})(?=\\{0,7}\")"), is_login,
        "Docker docs: docker login, credential storage"),
    Rule("password", (b"ogin ", b"ogin\n", b"ogin\t", b"ogin\r"), re.compile(
        rb"(?i:ogin)\s{1,16}\S{1,128}+\s{1,16}(?i:password)[ \t]{1,16}\"?([^\s\"]{1,256}+)"), is_typed_password,
        "GNU inetutils manual: The .netrc file", behind(_LOGIN_BEFORE)),
    Rule("password", (b" -u ", b" -u\"", b" -u'", *any_after(b" -u", LETTERS), b"--user", b"--proxy-user"), re.compile(
        rb"(?:[ \t]-u|--(?:proxy-)?user)[ \t=]{0,4}" + _argument(rb"[^\s:\"'`\\/]{1,128}+:")), is_typed_password,
        "curl manual: --user", argument_of(rb"curl")),
    Rule("password", any_after(b" -p", _PRINTABLE), re.compile(rb"[ \t]-p" + _argument(b"")), is_typed_password,
        "MySQL manual: Connecting to the server using command options",
        argument_of(rb"(?:mysql|mariadb)(?:-?(?:dump|admin|import|check|show|slap|pump|sh))?|mycli")),
    Rule("password", (b"sshpass",), re.compile(rb"sshpass[ \t]{1,8}-p[ \t]{0,8}" + _argument(b"")), is_typed_password,
        "sshpass manual", argument),
    Rule("password", (b"assword", b"asswd", b"assphrase", *any_after(b"pwd", b"=:\"'\\_ -0123456789")),
        _assigned(_PASSWORD_NAME), is_password, "by its name", password),
    Rule("secret", (b"token", b"secret", b"api_key", b"api-key", b"apikey", b"credential", b"s_key", b"s-key",
                    b"skey", b"te_key", b"te-key", b"tekey", b"h_key", b"h-key", b"hkey", b"n_key", b"n-key", b"nkey",
                    b"g_key", b"g-key", b"gkey"),
        _assigned(_SECRET_NAME), is_random, "by its name", secret),
    Rule("secret", _OPTIONS, re.compile(
        rb"(?<![^\s\"'`\[(,])--(?i:[a-z]{1,16}-){0,3}(?P<word>(?i:token|secret|key|password|passwd|passphrase))"
        rb"(?:=|(?P<blank>[ \t]{1,4}))"), is_random_or_password, "a command's option", option),
)  # fmt: skip
"""In order, after the vendors' tokens: where two overlap, the first names what is redacted."""

_SNOWFLAKE = rb"(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5])"  # three decimal digits in base 64
_IDS = b"|".join(
    rb"(?<=%s{%d}%s\.)" % (_SNOWFLAKE, length // 4, rb"[\w-]" * (length % 4)) for length in (23, 24, 26, 27)
)

DISCORD_TOKEN = Rule(
    "discord token",
    (),
    re.compile(rb"\.(?=[\w-]{6}\.[\w-]{27})(?:" + _IDS + rb")([\w-]{6}\.[\w-]{27,40})" + END),
    is_varied,
    "Discord docs: Reference, authentication; Snowflakes",
)
"""A bot's token: its id in base 64, a time, a signature. Nothing in it is an anchor: its first dot is searched for."""
