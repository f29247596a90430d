// Boxes, lines and frames of a plan as SVG; figures can be written again without moving anything.

const SVG = "http://www.w3.org/2000/svg";

function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// Fixed steps of a logarithmic scale: a thousand rows a second are twice as wide as thirty.
function lineWidth(rows) {
  return rows > 0 ? Math.min(7, 1.2 + 0.9 * Math.log10(1 + rows)) : 1.2;
}

function drawLine(line) {
  const rows = line.rows > 0 ? `${+line.rows.toPrecision(3)} rows/s` : "reads stored tuples";
  const path = svg("path", { class: line.rows > 0 ? "line" : "line read", d: line.path,
    "stroke-width": lineWidth(line.rows) }, svg("title", {}, rows));
  if (line.colour) path.style.stroke = line.colour;
  return path;
}

function drawFrame(frame, onFold) {
  const [x, y, width, height] = frame.at;
  const group = svg("g", { class: "frame", tabindex: 0, role: "button",
    "aria-label": `Fold ${frame.name}` },
    svg("rect", { x, y, width, height, rx: 8 }),
    svg("text", { x: x + 8, y: y + 14 }, `⊟ ${frame.name}`));
  const fold = () => onFold(frame.id);
  group.lastChild.addEventListener("click", fold);
  group.addEventListener("keydown", (event) => {
    if (event.key === "Enter") fold();
  });
  return group;
}

function drawBox(box, [width, height]) {
  const [x, y] = [box.at[0] - width / 2, box.at[1] - height / 2];
  const kind = kindOf(box.kind);
  const group = svg("g", { class: box.alone ? "box alone" : "box", tabindex: 0, role: "button",
    transform: `translate(${x},${y})`, "data-id": box.id });
  if (box.count > 1) group.append(svg("rect", { class: "under2", x: 4, y: -4, width, height, rx: 7 }));
  group.append(
    svg("rect", { class: "back", width, height, rx: 7 }),
    svg("rect", { class: "heat", width, height, rx: 7 }),
    svg("rect", { class: "heat share", x: 3, y: height - 4, height: 3, rx: 1.5 }),
    svg("circle", { class: "track", cx: 22, cy: height / 2 - 1, r: 14, fill: "none",
      stroke: "#8a97a0", "stroke-opacity": 0.35, "stroke-width": 3 }),
    svg("circle", { class: "ring", cx: 22, cy: height / 2 - 1, r: 14, fill: "none",
      "stroke-width": 3, transform: `rotate(-90 22 ${height / 2 - 1})` }),
    svg("circle", { cx: 22, cy: height / 2 - 1, r: 12, fill: kind.colour }));
  // The colour of its stream, as on the card of the workload.
  if (box.colour) group.append(svg("rect", { x: 0.5, y: 7, width: 4, height: height - 14, rx: 2,
    fill: box.colour }));
  group.append(box.count > 1
    ? svg("text", { class: "count", x: 22, y: height / 2 + 3, "text-anchor": "middle" }, `${box.count}`)
    : svg("path", { class: "icon", d: kind.icon, transform: `translate(14 ${height / 2 - 9})` }));
  const lines = height > 50 ? 3 : 2;
  const texts = ["name", "figure small", "measured small"].slice(0, lines);
  texts.forEach((name, place) =>
    group.append(svg("text", { class: name, x: 43, y: 17 + 15 * place })));
  group.append(svg("title", {}));
  return group;
}

const ROUND = 2 * Math.PI * 14;

// The figures of a box that is drawn already.
function fillBox(group, box, [width], aloneText) {
  const write = (selector, text) => {
    const element = group.querySelector(selector);
    if (element && element.textContent !== text) element.textContent = text;
  };
  write(".name", box.name);
  write(".figure", box.figure);
  const third = box.measured ?? (box.note || (box.alone ? aloneText : ""));
  write(".measured", third ?? "");
  const share = Math.min(1, box.share);
  const [heat, bar] = group.querySelectorAll(".heat");
  heat.style.opacity = share > 0.005 ? 0.05 + 0.4 * Math.sqrt(share) : 0;
  bar.setAttribute("width", Math.max(0, (width - 6) * share));
  const known = "ratio" in box;
  group.querySelector(".track").style.display = known ? "" : "none";
  const ring = group.querySelector(".ring");
  ring.style.display = known && box.ratio !== null ? "" : "none";
  if (known && box.ratio !== null) {
    ring.setAttribute("stroke-dasharray", `${ROUND * Math.min(1, box.ratio)} ${ROUND}`);
    ring.style.stroke = `var(--${box.met ? "met" : box.over ? "over" : "under"})`;
  }
  const told = [box.name, box.count > 1 ? `${box.count} operators, folded` : kindOf(box.kind).word,
    box.figure, third].filter(Boolean).join(", ");
  group.setAttribute("aria-label", told);
  write("title", told);
}
