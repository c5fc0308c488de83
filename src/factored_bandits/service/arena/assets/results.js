// Links into the clipboard.
"use strict";
for (const button of document.querySelectorAll("button.copy")) {
  button.addEventListener("click", async () => {
    const field = button.previousElementSibling;
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Press Ctrl-C"; // without TLS browsers leave the clipboard to people
    }
  });
}
