// Replaces parts of a page by what the server sends when they change. Without it, reload the page.
"use strict";
(() => {
  const root = document.querySelector("[data-live]");
  if (!root || !("EventSource" in window)) return;
  const prefix = root.dataset.prefix || "";
  const said = document.getElementById("said");

  function replace(element, html) {
    // what a reader has opened stays open, and the keyboard stays where it is
    const open = new Set([...element.querySelectorAll("details[open]")].map((d) => d.dataset.keep));
    const active = element.contains(document.activeElement) && document.activeElement.closest("[data-keep]");
    const keep = active && active.dataset.keep;
    const link = document.activeElement && element.contains(document.activeElement) && document.activeElement.getAttribute("href");
    element.innerHTML = html;
    for (const details of element.querySelectorAll("details")) {
      if (open.has(details.dataset.keep)) details.open = true;
      if (keep && details.dataset.keep === keep) details.querySelector("summary").focus();
    }
    if (link) for (const a of element.querySelectorAll("a")) if (a.getAttribute("href") === link) a.focus();
  }

  function announce(before, after) {
    const gone = [...after].filter((name) => !before.has(name));
    if (said && gone.length) said.textContent = gone.join(", ") + (gone.length > 1 ? " are" : " is") + " eliminated.";
  }

  const eliminated = () => new Set([...root.querySelectorAll(".levels tr.gone > th")].map((th) => th.firstChild.textContent.trim()));

  function take(message) {
    const before = eliminated();
    const { at, parts } = JSON.parse(message.data);
    if (at < Number(root.dataset.at)) return; // the page was opened after that
    for (const [name, [mark, html]] of Object.entries(parts)) {
      const element = document.getElementById(prefix + name);
      if (!element || element.dataset.mark === mark) continue;
      replace(element, html);
      element.dataset.mark = mark;
    }
    announce(before, eliminated());
    const status = root.querySelector("[data-status]");
    if (status)
      for (const each of root.querySelectorAll("[data-when]"))
        each.hidden = !each.dataset.when.split(" ").includes(status.dataset.status);
  }

  let source = null;
  function listen() {
    source = new EventSource(root.dataset.live);
    source.onmessage = take;
    source.onerror = () => {
      // refused, not merely cut: once in a while
      if (source.readyState === EventSource.CLOSED) setTimeout(listen, 30000);
    };
  }
  // a page that nobody sees asks for nothing
  function look() {
    if (document.hidden && source) { source.close(); source = null; }
    else if (!document.hidden && !source) listen();
  }
  document.addEventListener("visibilitychange", look);
  window.addEventListener("pagehide", () => source && source.close());
  look();
})();
