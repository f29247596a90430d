// What is shown of one operator or one folded branch. All names are text nodes.

function made(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

function press(text, title, onClick) {
  const button = made("button", "", text);
  button.type = "button";
  button.title = title;
  button.setAttribute("aria-label", title);
  button.addEventListener("click", onClick);
  return button;
}

function costTable(rows) {
  const measured = rows.some((row) => row.length > 2);
  const heads = measured ? ["", "predicted", "measured", "q-error"] : ["", "predicted"];
  const cells = (tag, texts) => made("tr", "", ...texts.map((text) => made(tag, "", text)));
  return made("table", "", made("thead", "", cells("th", heads)),
    made("tbody", "", ...rows.map((row) => cells("td", row))));
}

const WHERE = ", \\quad ";

function formulas(found) {
  return found.flatMap((formula) => {
    const [symbols, ...meanings] = formula.symbols.split(WHERE);
    const [values, ...meant] = formula.values.split(WHERE);
    return [
      made("h5", "", `${formula.figure} = ${formula.result}`),
      formulaLine(symbols),
      formulaLine(`= ${values}`),
      ...meanings.flatMap((text, place) => [
        formulaLine(`\\text{where } ${text}`),
        formulaLine(`= ${(meant[place] ?? "").split(" = ").slice(1).join(" = ")}`),
      ]),
    ];
  });
}

function links(title, ids, canvas) {
  const known = ids.filter((id) => canvas.nameOf(id));
  if (!known.length) return [];
  const buttons = known.map((id) =>
    press(canvas.nameOf(id), `Open ${canvas.nameOf(id)}`, () => canvas.choose(id)));
  return [made("h5", "", title), made("div", "links", ...buttons)];
}

// The plans in the list that do the same: a click chooses one of them.
function alsoIn(place, canvas) {
  const found = canvas.scene.others.filter((other) => other.boxes.includes(place));
  if (!found.length) return [];
  const choose = (label) => () => window.dispatchEvent(new CustomEvent(CHOSEN, { detail: { label } }));
  const buttons = found.map(({ label, name }) => press(name, `Show ${name}`, choose(label)));
  return [made("h5", "", "Plans in the list that do the same"), made("div", "links", ...buttons)];
}

function swatch(look, text) {
  const mark = made("span", "swatch");
  Object.assign(mark.style, look);
  return made("div", "key", mark, text);
}

// What colours, lines and rings mean.
function keyOf({ kinds, heat, measures, boxes }) {
  const found = [...new Set(kinds.map(kindOf))];
  const parts = found.map((kind) => swatch({ background: kind.colour, borderRadius: "50%" }, kind.word));
  parts.push(swatch({ background: "#d55e0066" }, `the darker, the larger its ${heat}`));
  const lines = { height: "0", borderTop: "3px solid #8a97a0", borderRadius: "0" };
  parts.push(swatch(lines, "the wider, the more rows per second (log scale)"));
  parts.push(swatch({ ...lines, borderTop: "2px dashed #8a97a0" }, "reads stored tuples"));
  if (boxes.some((box) => box.count > 1)) {
    parts.push(made("div", "key", "A number: so many operators are folded into this box. "
      + "Double-click it, or press Space on it, to unfold them."));
  }
  if (boxes.some((box) => box.alone)) {
    parts.push(swatch({ background: "none", border: "2px dashed var(--alone)" }, "only in this plan"));
  }
  if (measures) {
    for (const [name, text] of [["met", "measured as predicted"],
      ["over", "more was predicted than measured"], ["under", "less was predicted than measured"]]) {
      const ring = { background: "none", border: `3px solid var(--${name})`, borderRadius: "50%" };
      parts.push(swatch(ring, text));
    }
  }
  return [made("h4", "", "Key"), ...parts];
}

function panelOf(id, canvas) {
  const panel = canvas.panelData(id);
  const place = canvas.placeOf(id);
  const box = canvas.scene.boxes[place];
  const parts = [made("h4", "", panel.title)];
  if (panel.params?.length) parts.push(made("div", "params", panel.params.join(" · ")));
  if (box?.figure && box.id === id) parts.push(made("div", "params", box.figure));
  if (box?.alone) parts.push(made("div", "params", canvas.aloneText(box)));
  if (panel.costs.length) parts.push(costTable(panel.costs));
  else parts.push(made("div", "params", "No cost of its own."));
  if (box?.panel && box.id === id) {
    const unfold = press("Unfold", `Unfold ${box.name}`, () => canvas.toggle(box.id));
    parts.push(made("div", "links", unfold));
  }
  if (panel.inside) {
    parts.push(made("h5", "", "Its operators, dearest first"));
    parts.push(made("div", "", ...panel.inside.map((text) => made("div", "", text))));
  }
  parts.push(...links("Fed by", canvas.neighbours(id, "from"), canvas));
  parts.push(...links("Feeds", canvas.neighbours(id, "to"), canvas));
  parts.push(...alsoIn(place, canvas));
  parts.push(...formulas(panel.formulas ?? []));
  return parts;
}
