// The landscape of plans: a curve of points from best to worst that can be hovered and clicked.
// Python has placed everything between 0 and 1; here it is scaled to the room that there is.
// All texts are set as text, never as markup: names of plans are the user's.

const SVG = "http://www.w3.org/2000/svg";
const ROOM = { left: 44, right: 8, top: 24, bottom: 30 };
// The first and the last point are so far inside.
const INSET = 12;
// Fewer plans are drawn as dots, each of its own.
const MOST_DOTS = 100;
const REACH = 60;
// Where the name of a mark may be, from its point: the first place that is free is taken.
const PLACES = [
  [8, -7, "start"], [8, 15, "start"], [-8, -7, "end"], [-8, 15, "end"],
  [8, -20, "start"], [8, 28, "start"], [-8, -20, "end"], [-8, 28, "end"],
  [8, -34, "start"], [8, 42, "start"], [-8, -34, "end"], [-8, 42, "end"],
  [-26, 4, "end"], [26, 4, "start"], [0, -12, "middle"], [0, 20, "middle"],
];

function make(kind, attributes, parent, text) {
  const made = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

function look(words) {
  for (const name of ["best", "worst", "pinned", "baseline"]) if (words.includes(name)) return name;
  return words.some((word) => word.includes("heuristic")) ? "heuristic" : "plan";
}

function overlaps(one, other) {
  return one.x < other.x + other.width && other.x < one.x + one.width &&
    one.y < other.y + other.height && other.y < one.y + one.height;
}

class Landscape {
  constructor(root) {
    this.holder = document.createElement("div");
    this.holder.className = "landscape";
    this.holder.tabIndex = 0;
    this.holder.setAttribute("role", "img");
    this.svg = make("svg", {}, this.holder);
    this.tip = document.createElement("div");
    this.tip.className = "tip";
    this.tip.hidden = true;
    this.holder.append(this.tip);
    root.append(this.holder);
    this.at = null;
    new ResizeObserver(() => this.draw()).observe(this.holder);
    this.holder.addEventListener("mousemove", (event) => this.point(this.nearest(event)));
    this.holder.addEventListener("mouseleave", () => this.point(null));
    this.holder.addEventListener("blur", () => this.point(null));
    this.holder.addEventListener("click", (event) => this.choose(this.nearest(event)));
    this.holder.addEventListener("keydown", (event) => this.press(event));
    onPointed("landscape", this.holder, ({ plans = [] }) => this.ringed(plans));
    listenTo(CHOSEN, this.holder, ({ label }) => this.chosen(label));
  }

  show(data, choose) {
    this.data = data;
    this.chosen = choose;
    this.holder.setAttribute("aria-label", `${data.alt} Arrow keys move along it, Enter chooses.`);
    this.draw();
  }

  draw() {
    const { width, height } = this.holder.getBoundingClientRect();
    if (!this.data || width < 80 || height < 60) return;
    this.wide = width - ROOM.left - ROOM.right - 2 * INSET;
    this.high = height - ROOM.top - ROOM.bottom;
    this.svg.replaceChildren();
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.axes(width, height);
    const { points } = this.data;
    const path = points.map((p) => `${this.x(p.x)},${this.y(p.y)}`).join("L");
    make("path", { class: "curve", d: `M${path}` }, this.svg);
    if (points.length <= MOST_DOTS) for (const p of points) this.dot(p, "plan", 3);
    this.marks(points.filter((p) => p.marks || p.measured), width, height);
    const chosen = points.find((p) => p.label === this.data.chosen);
    if (chosen) this.dot(chosen, "chosen", 8);
    this.ring = make("circle", { class: "pointed", r: 6, visibility: "hidden" }, this.svg);
    this.point(this.at);
  }

  axes(width, height) {
    for (const [place, text] of this.data.scores) {
      const y = this.y(place);
      make("line", { class: "grid", x1: ROOM.left, x2: width - ROOM.right, y1: y, y2: y }, this.svg);
      make("text", { class: "tick", x: ROOM.left - 6, y: y + 4, "text-anchor": "end" }, this.svg, text);
    }
    for (const [place, text] of this.data.ranks) {
      const at = { class: "tick", x: this.x(place), y: height - 17, "text-anchor": "middle" };
      make("text", at, this.svg, text);
    }
    const middle = { class: "title", x: this.x(0.5), y: height - 4 };
    make("text", { ...middle, "text-anchor": "middle" }, this.svg, `Rank by ${this.data.ranked_by}`);
  }

  marks(marked, width, height) {
    for (const p of marked) {
      if (!p.measured) continue;
      const [x, from, to] = [this.x(p.x), this.y(p.y), this.y(p.measured.y)];
      make("line", { class: "apart", x1: x, x2: x, y1: from, y2: to }, this.svg);
    }
    for (const p of marked) {
      this.dot(p, `mark-point ${look(p.marks ?? [])}`, 5);
      if (!p.measured) continue;
      const [x, y] = [this.x(p.x), this.y(p.measured.y)];
      make("path", { class: "measured", d: `M${x},${y - 6}l6,6l-6,6l-6,-6Z` }, this.svg);
    }
    const taken = marked.map((p) => ({ x: this.x(p.x) - 5, y: this.y(p.y) - 5, width: 10, height: 10 }));
    const curve = this.along(this.data.points);
    for (const p of marked) if (p.marks?.length) this.named(p, taken, curve, width, height);
  }

  // Small boxes along the curve, which names keep clear of where they can.
  along(points) {
    const found = [];
    points.forEach((p, place) => {
      const next = points[Math.min(place + 1, points.length - 1)];
      const [x, y] = [this.x(p.x), this.y(p.y)];
      const [dx, dy] = [this.x(next.x) - x, this.y(next.y) - y];
      const steps = Math.max(1, Math.ceil(Math.hypot(dx, dy) / 6));
      for (let step = 0; step < steps; step += 1) {
        found.push({ x: x + dx * step / steps - 1, y: y + dy * step / steps - 1, width: 2, height: 2 });
      }
    });
    return found;
  }

  named(p, taken, curve, width, height) {
    const text = make("text", { class: "mark" }, this.svg, p.marks.join(", "));
    const clear = PLACES.map((place) => [...place, true]);
    for (const [right, down, anchor, apart] of [...clear, ...PLACES]) {
      text.setAttribute("x", this.x(p.x) + right);
      text.setAttribute("y", this.y(p.y) + down);
      text.setAttribute("text-anchor", anchor);
      const box = text.getBBox();
      const inside = box.x > 0 && box.x + box.width < width && box.y > 0 &&
        box.y + box.height < height - ROOM.bottom + 4;
      const others = apart ? [...taken, ...curve] : taken;
      if (inside && !others.some((other) => overlaps(box, other))) {
        taken.push(box);
        return;
      }
    }
    // No room: hovering still shows it.
    text.remove();
  }

  dot(p, look, r) {
    make("circle", { class: look, cx: this.x(p.x), cy: this.y(p.y), r }, this.svg);
  }

  x(place) {
    return ROOM.left + INSET + place * this.wide;
  }

  y(place) {
    return ROOM.top + (1 - place) * this.high;
  }

  // The nearest point, marked ones first where they are about as near.
  nearest(event) {
    const box = this.holder.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let [best, least] = [null, REACH];
    this.data.points.forEach((p, place) => {
      const across = this.x(p.x) - x;
      const away = Math.hypot(across, this.y(p.y) - y);
      const near = Math.min(away, Math.abs(across) + 12) - (p.marks ? 4 : 0);
      if (near < least) [best, least] = [place, near];
    });
    return best;
  }

  point(place) {
    this.at = place;
    const p = place === null ? null : this.data.points[place];
    if (p?.label !== this.told) pointOut("landscape", { plan: p?.label });
    this.told = p?.label;
    this.tip.hidden = !p;
    this.ring.setAttribute("visibility", p ? "visible" : "hidden");
    if (!p) return;
    this.ring.setAttribute("cx", this.x(p.x));
    this.ring.setAttribute("cy", this.y(p.y));
    this.say(p);
    const left = p.x > 0.5;
    this.tip.style.left = left ? "auto" : `${this.x(p.x) + 12}px`;
    this.tip.style.right = left ? `${this.x(1) + INSET + ROOM.right - this.x(p.x) + 12}px` : "auto";
    this.tip.style.top = `${Math.min(this.y(p.y), this.high - 40)}px`;
  }

  // Plans with what the mouse points at on the canvas.
  ringed(labels) {
    this.svg.querySelectorAll(".alike").forEach((ring) => ring.remove());
    for (const p of this.data.points) if (labels.includes(p.label)) this.dot(p, "alike", 9);
  }

  say(p) {
    const name = document.createElement("b");
    name.textContent = p.name;
    const rank = p.rank ? `#${p.rank.toLocaleString("en")} · ` : "";
    const lines = [name, `${rank}${p.score}${p.measured ? " predicted" : ""}`];
    if (p.measured) lines.push(document.createElement("br"), `${p.measured.score} measured`);
    if (p.marks?.length) lines.push(document.createElement("br"), p.marks.join(", "));
    this.tip.replaceChildren(...lines);
  }

  choose(place) {
    if (place !== null) this.chosen(this.data.points[place].label);
  }

  press(event) {
    const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };
    const { points, chosen } = this.data;
    if (event.key in steps) {
      const from = this.at ?? points.findIndex((p) => p.label === chosen);
      this.point(Math.max(0, Math.min(points.length - 1, from + steps[event.key])));
    } else if (event.key === "Enter" || event.key === " ") {
      this.choose(this.at);
    } else {
      return;
    }
    event.preventDefault();
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  parentElement.landscape ??= new Landscape(parentElement);
  parentElement.landscape.show(data, (label) => setTriggerValue("picked", label));
}
