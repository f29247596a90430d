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
  parts.push(...formulas(panel.formulas ?? []));
  return parts;
}
