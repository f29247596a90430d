// Nested loops as text. Each line knows its probe; all texts are set as text, never as markup.

function line([text, probe], shown) {
  const made = document.createElement("span");
  made.textContent = `${text}\n`;
  if (probe) {
    made.className = "loop";
    made.dataset.probe = probe;
    made.addEventListener("mouseenter", () => pointOut("loops", { operators: [probe] }));
    made.addEventListener("mouseleave", () => pointOut("loops", {}));
    shown.push(made);
  }
  return made;
}

export default function ({ data, parentElement }) {
  const shown = [];
  const text = document.createElement("pre");
  text.tabIndex = 0;
  text.setAttribute("aria-label", "The plan as nested loops");
  data.nests.forEach((nest, place) => {
    if (place) text.append("\n");
    text.append(...nest.map((one) => line(one, shown)));
  });
  // Beside it is the style.
  parentElement.querySelector("pre")?.remove();
  parentElement.append(text);
  onPointed("loops", text, ({ operators = [] }) => {
    for (const one of shown) one.classList.toggle("pointed", operators.includes(one.dataset.probe));
  });
}
