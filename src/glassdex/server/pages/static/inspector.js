// What pages do beyond links and forms: keys, copying, tidy addresses, and an indexing run as it happens.
"use strict";
(() => {
  const say = (text) => { const place = document.getElementById("said"); if (place) place.textContent = text; };
  const items = () => [...document.querySelectorAll("[data-item]")];
  const current = () => document.activeElement && document.activeElement.closest("[data-item]");

  function move(step) {
    const all = items();
    if (!all.length) return;
    const at = all.indexOf(current());
    const next = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + step))];
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  }

  function follow(selector) {
    const item = current() || items()[0];
    const link = item && item.querySelector(selector);
    if (link) link.click();
  }

  function toggle(details, into) {
    if (!details) return;
    details.open = !details.open;
    if (details.open && into) details.querySelector("summary").focus();
  }

  const keys = {
    "/": () => { const query = document.getElementById("query"); if (query) { query.focus(); query.select(); } },
    j: () => move(1),
    k: () => move(-1),
    Enter: () => { if (document.activeElement && document.activeElement.matches("[data-item]")) { follow("a.open"); return true; } return false; },
    e: () => toggle((current() || items()[0] || document).querySelector("details.numbers")),
    m: () => toggle(document.getElementById("misses"), true),
    w: () => { const box = document.getElementById("why-not-document"); if (box) box.focus(); },
    n: () => follow("a.neighbors"),
    "?": () => toggle(document.getElementById("help"), true),
  };

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && document.activeElement) { document.activeElement.blur(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest("input, select, textarea, [contenteditable]")) return;
    const act = Object.hasOwn(keys, event.key) ? keys[event.key] : null;
    if (act && act() !== false) event.preventDefault();
  });

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button.copy");
    if (!button) return;
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      say("copied");
    } catch {
      say("this browser does not let a page copy: select the text");
    }
  });

  // What is empty, or as usual, stays out of the address.
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("form[data-tidy]")) return;
    for (const field of event.target.elements) {
      const usual = field.name === "mode" ? "hybrid" : field.name === "identity" ? "active" : "";
      if (field.name && field.name !== "query" && field.value.trim() === usual) {
        field.disabled = true;
        setTimeout(() => { field.disabled = false; });
      }
    }
  });

  function follow_run(place) {
    const bars = Object.fromEntries(["published", "embedded"].map((name) => [name, place.querySelector(`[data-bar=${name}]`)]));
    const show = (run) => {
      place.querySelector("[data-state]").textContent = run.state;
      place.querySelector("[data-scanned]").textContent = run.scanned.toLocaleString("en");
      for (const [name, bar] of Object.entries(bars)) {
        const step = run[name];
        bar.hidden = !step;
        if (!step) continue;
        const meter = bar.querySelector("progress");
        meter.max = Math.max(1, step.total);
        meter.value = step.done;
        bar.querySelector("output").textContent = `${step.done.toLocaleString("en")} of ${step.total.toLocaleString("en")}`;
      }
    };
    const source = new EventSource(`/api/v1/index/${encodeURIComponent(place.dataset.run)}/events`);
    source.addEventListener("progress", (event) => show(JSON.parse(event.data)));
    for (const end of ["done", "cancelled", "failed"]) {
      source.addEventListener(end, (event) => {
        show(JSON.parse(event.data));
        source.close();
        location.reload();
      });
    }
    source.onerror = () => { if (source.readyState === EventSource.CLOSED) say("the connection to the run is lost: reload"); };
  }

  document.addEventListener("DOMContentLoaded", () => {
    const run = document.querySelector("[data-run][data-going]");
    if (run) follow_run(run);
    const matched = document.querySelector(".is-match, .is-chosen");
    if (matched && !location.hash) matched.scrollIntoView({ block: "center" });
  });
})();
