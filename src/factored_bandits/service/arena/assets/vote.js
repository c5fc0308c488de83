// Keys for the buttons, and both sides at the same moment.
"use strict";
document.documentElement.classList.add("js");

const KEYS = { 1: "1", 2: "2", 0: "0", s: "skip", S: "skip", z: "undo", Z: "undo" };

document.addEventListener("DOMContentLoaded", async () => {
  const form = document.getElementById("vote");
  if (!form) return;
  let sent = false;
  form.addEventListener("submit", (event) => {
    // a second press while the next duel is on its way is no vote on it
    if (sent) event.preventDefault();
    sent = true;
  });
  document.addEventListener("keydown", (event) => {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat;
    const action = KEYS[event.key];
    if (!plain || !action || !form.classList.contains("ready")) return;
    const button = form.querySelector(`button[value="${action}"]`);
    if (button && !button.disabled) {
      event.preventDefault();
      button.click();
    }
  });
  // whoever closes the page lets somebody else have the duel at once
  window.addEventListener("pagehide", () => {
    if (sent || !form.elements.ballot) return;
    const left = new URLSearchParams(new FormData(form));
    left.set("action", "leave");
    // not form.action: that is the buttons of this name
    navigator.sendBeacon(form.getAttribute("action"), left);
  });
  // a page that the browser has kept shows an old duel
  window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

  const images = [...form.querySelectorAll("img.shown")];
  await Promise.allSettled(images.map((image) => image.decode()));
  form.classList.add("ready");
});
