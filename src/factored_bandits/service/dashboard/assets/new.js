// The form of a new experiment: shows what belongs to the choice, adds factors, and asks for a
// forecast whenever something changes. Without it, all fields are shown and a button forecasts.
"use strict";
(() => {
  const form = document.querySelector("form.make");
  const place = document.getElementById("forecast");
  const add = document.getElementById("add");
  const template = document.getElementById("factor");
  document.getElementById("ask").hidden = true;
  add.hidden = false;

  function choose() {
    const kind = form.elements.kind.value;
    for (const each of form.querySelectorAll("[data-kind]")) each.hidden = each.dataset.kind !== kind;
  }

  add.addEventListener("click", () => {
    const made = template.content.firstElementChild.cloneNode(true);
    template.before(made);
    made.querySelector("legend").textContent = "Factor " + form.querySelectorAll("#factors > fieldset").length;
    made.querySelector("input").focus();
  });

  let asked = null;
  async function forecast() {
    if (asked) asked.abort();
    asked = new AbortController();
    try {
      const answer = await fetch(form.dataset.forecast, {
        method: "POST",
        body: new URLSearchParams(new FormData(form)),
        headers: { Accept: "text/html" },
        signal: asked.signal,
      });
      if (answer.ok) place.innerHTML = await answer.text();
    } catch (error) {
      if (error.name !== "AbortError") place.textContent = "The server cannot be reached.";
    }
  }

  let timer = null;
  form.addEventListener("input", () => {
    choose();
    clearTimeout(timer);
    timer = setTimeout(forecast, 350);
  });
  const failed = document.getElementById("failed");
  if (failed) failed.focus();
  choose();
})();
