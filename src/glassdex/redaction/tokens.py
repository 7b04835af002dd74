"""Tokens that their vendors made recognisable: a prefix, an alphabet, a length.

The prefixes are the vendors' own; where a vendor does not promise a length, the shortest seen is the lower bound.
"""

from __future__ import annotations

import re

from glassdex.redaction.rule import BASE64URL, DIGITS, END, HEXADECIMAL, LETTERS, START, Rule, any_after
from glassdex.redaction.values import is_random, is_varied


def _prefixed(name: str, prefixes: str, rest: bytes, source: str) -> Rule:
    """A rule for `prefix` + `rest`, for prefixes that are anchors as they are."""
    words = tuple(prefix.encode() for prefix in prefixes.split())
    pattern = START + b"(?:" + b"|".join(map(re.escape, words)) + b")" + rest
    return Rule(name, tuple(word.lower() for word in words), re.compile(pattern), is_varied, source)


def _short(name: str, prefix: bytes, following: bytes, rest: bytes, source: str) -> Rule:
    """A rule for a prefix that needs some of its `following` characters to make an anchor."""
    pattern = re.compile(START + re.escape(prefix) + rest)
    return Rule(name, any_after(prefix.lower(), following), pattern, is_varied, source)


TOKENS: tuple[Rule, ...] = (
    _prefixed("aws access key", "AKIA ASIA ABIA ACCA", rb"[A-Z2-7]{16}" + END,
              "AWS IAM User Guide: IAM identifiers, unique ID prefixes"),
    _prefixed("github token", "ghp_ gho_ ghu_ ghs_ ghr_", rb"\w{36,255}",
        "GitHub blog: Behind GitHub's new authentication token formats"),
    _prefixed("github token", "github_pat_", rb"\w{36,255}", "GitHub docs: About authentication, token formats"),
    _prefixed("gitlab token", "glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- glsoat- gloas- glffct-",
              rb"[\w.-]{20,300}", "GitLab docs: Token overview, token prefixes"),
    _prefixed("anthropic key", "sk-ant-", rb"[\w-]{24,300}",
        "Anthropic API reference: Authentication; GitHub secret scanning partners"),
    Rule("openai key", any_after(b"sk-", LETTERS + DIGITS),
        re.compile(START + rb"sk-(?:(?:proj|svcacct|admin|None|or-v1)-)?[\w-]{20,300}"),
         is_random,
         "OpenAI API reference: Authentication; also DeepSeek, OpenRouter and others that took the prefix over"),
    _prefixed("google key", "AIza", rb"[\w-]{35}" + END, "Google Cloud docs: API keys"),
    _prefixed("google token", "GOCSPX- ya29.", rb"[\w-]{20,2048}", "Google Identity docs: Using OAuth 2.0, token size"),
    Rule("slack token", (b"xoxa", b"xoxb", b"xoxp", b"xoxr", b"xoxs", b"xoxe", b"xoxc", b"xoxd", b"xoxo", b"xapp"),
         re.compile(START + rb"(?:xox[a-eoprs](?:\.xox[bp])?|xapp)-[\w%-]{10,400}"),
         is_varied, "Slack docs: Token types"),
    _prefixed("stripe key", "sk_live_ rk_live_ whsec_", rb"[A-Za-z0-9+/]{16,255}={0,2}",
        "Stripe docs: API keys; webhooks"),
    _prefixed("npm token", "npm_", rb"\w{36,255}", "GitHub changelog, 2021-09: npm has a new access token format"),
    _prefixed("pypi token", "pypi-", rb"[\w-]{50,1000}",
        "Warehouse docs: macaroons with the prefix that its help page names"),
    _short("hugging face token", b"hf_", LETTERS + DIGITS, rb"[A-Za-z0-9]{30,100}",
            "Hugging Face docs: User access tokens"),
    _prefixed("digitalocean token", "dop_v1_ doo_v1_ dor_v1_", rb"[0-9a-f]{64}" + END,
        "DigitalOcean docs: API token prefixes"),
    _short("sendgrid key", b"SG.", BASE64URL, rb"[\w-]{16,32}\.[\w-]{32,64}", "SendGrid docs: API keys"),
    _short("twilio key", b"SK", HEXADECIMAL, rb"[0-9a-f]{32}" + END, "Twilio docs: What is a string identifier (SID)?"),
    Rule("telegram token", any_after(b":aa", BASE64URL), re.compile(rb"(?<=[0-9]{8}):(AA[\w-]{33})" + END), is_varied,
         "Telegram Bot API: Authorizing your bot"),
    _short("jwt", b"eyJ", LETTERS + DIGITS, rb"[\w-]{10,}+(?:\.[\w-]{10,}+){2,4}",
        "RFC 7519 section 3; RFC 7516 section 3.1"),
    _prefixed("databricks token", "dapi", rb"[0-9a-f]{32}(?:-\d)?" + END, "Databricks docs: Personal access tokens"),
    _prefixed("docker token", "dckr_pat_ dckr_oat_", rb"[\w-]{24,64}", "Docker docs: Access tokens"),
    _prefixed("doppler token", "dp.pt. dp.st. dp.sa. dp.ct. dp.scim. dp.audit.", rb"[\w.-]{40,80}",
        "Doppler docs: Token formats"),
    _prefixed("figma token", "figd_ figo_", rb"[\w-]{36,64}", "Figma docs: Personal access tokens"),
    _prefixed("grafana token", "glsa_ glc_", rb"[A-Za-z0-9+/_=-]{32,400}",
        "Grafana docs: Service accounts; access policies"),
    _prefixed("groq key", "gsk_", rb"[A-Za-z0-9]{40,80}", "Groq docs: API keys"),
    _prefixed("xai key", "xai-", rb"[A-Za-z0-9]{60,120}", "xAI docs: Getting started"),
    _prefixed("perplexity key", "pplx-", rb"[A-Za-z0-9]{40,64}", "Perplexity docs: API keys"),
    _prefixed("tavily key", "tvly-", rb"[\w-]{24,80}", "Tavily docs: Authentication"),
    _prefixed("langsmith key", "lsv2_pt_ lsv2_sk_", rb"[0-9a-f_]{40,80}", "LangSmith docs: API keys"),
    _prefixed("linear key", "lin_api_ lin_oauth_", rb"[A-Za-z0-9]{32,80}", "Linear docs: Authentication"),
    _prefixed("notion token", "ntn_", rb"[A-Za-z0-9]{40,60}", "Notion docs: Authorization, changed prefix of 2024-09"),
    _prefixed("postman key", "PMAK-", rb"[0-9a-f]{24}-[0-9a-f]{34}" + END, "Postman docs: API keys"),
    _prefixed("pulumi token", "pul-", rb"[0-9a-f]{40}" + END, "Pulumi docs: Access tokens"),
    _prefixed("vault token", "hvs. hvb. hvr.", rb"[\w-]{24,300}", "HashiCorp Vault docs: Token prefixes"),
    _prefixed("sentry token", "sntrys_ sntryu_", rb"[A-Za-z0-9+/=_-]{40,400}", "Sentry docs: Auth tokens"),
    _prefixed("shopify token", "shpat_ shpca_ shppa_ shpss_", rb"[0-9a-fA-F]{32}" + END,
        "Shopify docs: Token formats of 2020-04"),
    _prefixed("supabase key", "sbp_ sb_secret_", rb"[\w-]{24,80}", "Supabase docs: API keys; access tokens"),
    _prefixed("tailscale key", "tskey-", rb"(?:auth|api|client|webhook|scim)-[\w-]{16,80}",
        "Tailscale docs: Key prefixes"),
    _prefixed("age key", "AGE-SECRET-KEY-1", rb"[A-Z0-9]{58}" + END,
        "age specification, section Native X25519 recipients"),
    _short("replicate token", b"r8_", LETTERS + DIGITS, rb"[A-Za-z0-9]{37,40}" + END, "Replicate docs: API tokens"),
)  # fmt: skip
"""In order: where two overlap, the first names what is redacted."""
