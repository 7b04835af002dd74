"""The pages in a real browser: keys, both schemes, 360 pixels, without JavaScript, hostile files, axe.

Debian's Chromium, or the one that GLASSDEX_CHROMIUM names. Where there is none the tests are skipped, unless
GLASSDEX_BROWSER_TESTS=required: continuous integration installs one, and must not pass without.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright

from glassdex.project import Project
from tests.cli.running import write
from tests.server.pages.files import HOSTILE_NAME, MATCHED, make_files
from tests.server.serving import process

SHOTS = Path(__file__).resolve().parents[3] / "build" / "screenshots"
WIDE: ViewportSize = {"width": 1280, "height": 860}
NARROW: ViewportSize = {"width": 360, "height": 740}
ADDRESSES = {
    "start": "/",
    "search": "/search?query=hostile+heron&feedback=on&tags=&kinds=entity",
    "nothing": "/search?query=zzz&mode=lexical",
    "passages": "/search?in_document=report.pdf&page_from=1",
    "why-not": "/why-not?query=owls&document=hostile.md",
    "documents": "/documents",
    "document": "/document?document=owls.md&query=owls+mice",
    "hostile": "/document?document=hostile.md&query=heron",
    "sheet": "/document?document=ships.xlsx&query=fog",
    "pdf": "/document?document=report.pdf&query=fog",
    "turns": "/document?document=talk.jsonl&start=150",
    "sessions": "/sessions",
    "session": "/session?session=talk.jsonl&offset=29",
    "compare": "/compare?query=owls&a=mode%3Ddense&b=mode%3Dlexical",
    "status": "/status?files=true",
    "problem": "/document?document=owl",
}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One for all tests."""
    program = os.environ.get("GLASSDEX_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        missing = "there is no Chromium: apt-get install chromium, or name one in GLASSDEX_CHROMIUM"
        if os.environ.get("GLASSDEX_BROWSER_TESTS") == "required":
            pytest.fail(missing)
        pytest.skip(missing)
    # Root has no user namespaces to put the sandbox in; what is loaded is our own pages.
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=sandbox)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[tuple[str, Path]]:
    """A server in a process of its own, with its address and the folder of its files."""
    folder = tmp_path_factory.mktemp("browser")
    files = make_files(folder / "files")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSDEX_HOME", str(folder / "home"))
        with Project.create("files", [files]) as project:
            project.index()
    with process(folder / "home", files) as (address, _):
        yield address, files


@pytest.fixture
def address(place: tuple[str, Path]) -> str:
    return place[0]


Opened = Callable[..., Page]


@pytest.fixture
def opened(browser: Browser, address: str) -> Iterator[Opened]:
    """Opens a page of ours in a window of its own; whatever it complains of fails the test."""
    complaints: list[str] = []
    contexts: list[BrowserContext] = []

    def open_page(path: str, **options: Any) -> Page:
        context = browser.new_context(base_url=address, **{"viewport": WIDE, **options})
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(f"{path}: {error}"))
        page.on("dialog", lambda dialog: complaints.append(f"{path}: a dialog says {dialog.message}"))
        page.on("console", lambda said: complaints.append(f"{path}: {said.text}") if said.type == "error" else None)
        page.goto(path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [one for one in complaints if "status of 404" not in one] == []


def shot(page: Page, name: str) -> None:
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"{name}.png")


@pytest.mark.parametrize("name", ADDRESSES)
def test_nobody_is_kept_out_and_nothing_is_wider_than_a_telephone(opened: Opened, name: str) -> None:
    all_rules = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
    of_size_and_colour = {"type": "rule", "values": ["color-contrast", "target-size"]}
    page = opened(ADDRESSES[name])
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    looks: list[tuple[Literal["light", "dark"], ViewportSize, object]]
    looks = [("light", WIDE, all_rules), ("dark", NARROW, of_size_and_colour)]
    for scheme, size, rules in looks:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size(size)
        found = Axe().run(page, options={"runOnly": rules})
        assert found.response["violations"] == [], found.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        shot(page, f"{name}-{scheme}-{size['width']}")


def test_both_schemes_are_different(opened: Opened) -> None:
    backs = {
        opened("/", color_scheme=scheme).evaluate("getComputedStyle(document.documentElement).backgroundColor")
        for scheme in ("light", "dark")
    }
    assert len(backs) == 2


@pytest.mark.parametrize("name", ["search", "hostile", "passages", "session"])
def test_what_files_hold_is_never_run(opened: Opened, name: str) -> None:
    page = opened(ADDRESSES[name])
    assert page.evaluate("window.harmed") is None
    assert page.locator("main img:not(.page-image), main script, main style, main b[onclick]").count() == 0


def test_hostile_text_is_shown_as_it_is_written(opened: Opened) -> None:
    page = opened("/document?document=hostile.md")
    body = page.locator("section.chunk .body").first
    for part in ("<script>window.harmed = 2</script>", "{{ 7 * 7 }}", "\\x1b[31m", "\\u202e", "שלום עולם"):
        expect(body).to_contain_text(part)
    expect(opened("/documents").locator("tbody")).to_contain_text(HOSTILE_NAME)


def test_a_search_is_all_keys(opened: Opened) -> None:
    page = opened("/")
    page.keyboard.press("/")
    expect(page.locator("#query")).to_be_focused()
    page.keyboard.type("owls j k")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?query=owls+j+k")  # nothing that is as usual stands in it
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator("li.result").nth(1)).to_be_focused()
    page.keyboard.press("k")
    expect(page.locator("li.result").nth(0)).to_be_focused()
    page.keyboard.press("e")
    expect(page.locator("li.result details.numbers").nth(0)).not_to_have_attribute("open", "")
    page.keyboard.press("e")
    expect(page.locator("li.result details.numbers").nth(0)).to_have_attribute("open", "")
    page.keyboard.press("m")
    expect(page.locator("#misses")).to_have_attribute("open", "")
    page.keyboard.press("?")
    expect(page.locator("#help")).to_have_attribute("open", "")
    page.keyboard.press("w")
    expect(page.locator("#why-not-document")).to_be_focused()
    page.keyboard.type("hostile.md")
    page.keyboard.press("Enter")
    expect(page.locator("#why-not .rungs li").first).to_be_visible()
    assert "/search" in page.url  # it came in beside the results
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("n")
    page.wait_for_url("**/neighbors?**")
    page.go_back()
    page.locator("li.result").nth(0).focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/open?**")


def test_a_filter_is_chosen_and_taken_away(opened: Opened) -> None:
    page = opened("/search?query=owls")
    page.locator("details.filters > summary").click()
    page.get_by_label("paths").first.fill("copy.md")
    page.get_by_label("limit").fill("5")
    page.get_by_role("button", name="search", exact=True).click()
    page.wait_for_url(re.compile("paths=copy.md"))
    assert "since" not in page.url
    expect(page.locator("li.result")).to_have_count(1)
    page.get_by_label("without paths").click()
    expect(page.locator("li.result").nth(1)).to_be_visible()


def test_the_numbers_of_the_ladder_come_with_the_pointer_and_with_focus(opened: Opened) -> None:
    page = opened(ADDRESSES["search"])
    ladder = page.locator("svg.ladder").first
    ladder.focus()
    expect(ladder).to_be_focused()
    assert re.search(r"lexical: rank \d+, bm25 [\d.]+; dense: rank \d+, cos", ladder.get_attribute("aria-label") or "")
    assert "rank" in (ladder.locator("g.point title").first.text_content() or "")


def test_a_pointer_is_copied_with_one_click(opened: Opened) -> None:
    page = opened("/search?query=owls", permissions=["clipboard-read", "clipboard-write"])
    button = page.locator("li.result article button.copy").first
    button.click()
    expect(page.locator("#said")).to_have_text("copied")
    assert page.evaluate("navigator.clipboard.readText()") == button.get_attribute("data-copy")


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_a_chunk_tells_of_itself_under_the_pointer_and_under_focus(opened: Opened, size: ViewportSize) -> None:
    page = opened("/document?document=owls.md", viewport=size)
    first, second = (page.locator("section.chunk").nth(number) for number in (0, 1))
    expect(first.locator(".about dl")).to_be_hidden()
    first.hover()
    expect(first.locator(".about dl")).to_be_visible()
    second.focus()
    expect(second.locator(".about dl")).to_contain_text("tokens")


def test_a_session_is_entered_where_it_matched(opened: Opened) -> None:
    page = opened("/search?query=lantern+flickers")
    page.locator("li.result h2 a").first.click()
    matched = page.locator(f"#m{MATCHED}")
    expect(matched).to_be_in_viewport()
    expect(matched).to_contain_text("matched")


def test_without_javascript_everything_is_there(opened: Opened) -> None:
    page = opened("/", java_script_enabled=False)
    page.get_by_label("query").fill("owls")
    page.get_by_role("button", name="search", exact=True).click()
    expect(page.locator("li.result").first).to_be_visible()
    page.get_by_label("why not …?").fill("hostile.md")
    page.get_by_role("button", name="ask", exact=True).click()
    expect(page.locator(".rungs li").first).to_be_visible()
    page.go_back()
    page.get_by_role("link", name="chunks of this document").first.click()
    expect(page.locator("section.chunk").first).to_be_visible()
    page.get_by_role("link", name="open", exact=True).first.click()
    expect(page.locator("blockquote")).to_be_visible()


def test_indexing_is_seen_as_it_happens(opened: Opened, place: tuple[str, Path]) -> None:
    write(place[1], **{f"new-{number}": f"# New {number}\n\nA kestrel number {number}.\n" for number in range(40)})
    page = opened("/status")
    page.get_by_role("button", name="index now").click()
    page.wait_for_url(re.compile("run="))
    expect(page.locator("[data-state]")).to_have_text("done", timeout=30_000)
    expect(page.locator("[data-bar=published] output")).to_have_text("40 of 40")
    expect(opened("/search?query=kestrel").locator("li.result").first).to_be_visible()
