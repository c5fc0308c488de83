// The part of the form that belongs to the kind of candidates, and more rows.
"use strict";
const kinds = [...document.querySelectorAll('input[name="kind"]')];

function choose() {
  const chosen = kinds.find((each) => each.checked)?.value;
  for (const part of document.querySelectorAll(".kind")) {
    part.classList.toggle("chosen", part.dataset.kind === chosen);
  }
  document.querySelector(".kind-text").hidden = chosen === "images";
}

document.querySelector(".study").classList.add("js-kinds");
for (const each of kinds) each.addEventListener("change", choose);
choose();

const rows = document.getElementById("rows");
document.getElementById("more").addEventListener("click", () => {
  const row = rows.lastElementChild.cloneNode(true);
  const number = rows.children.length + 1;
  const [name, text] = row.children;
  name.value = "";
  text.value = "";
  name.setAttribute("aria-label", `Name of candidate ${number}`);
  text.setAttribute("aria-label", `Text of candidate ${number}`);
  rows.append(row);
  name.focus();
});

// a key from the title, until somebody writes one
const title = document.getElementById("title");
const key = document.getElementById("key");
let own = key.value !== "";
key.addEventListener("input", () => { own = key.value !== ""; });
title.addEventListener("input", () => {
  if (!own) key.value = title.value.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
});
