// Sets what pymdownx.arithmatex has marked, \(...\) in lines and \[...\] on its own, with KaTeX.
for (const element of document.querySelectorAll(".arithmatex")) {
  const marked = element.textContent.trim();
  katex.render(marked.slice(2, -2), element, { displayMode: marked.startsWith("\\["), throwOnError: true });
}
