// The plan canvas: zoom, pan, hover, folding, the panel, and pictures to save. The server lays the
// plan out; a click is answered here, and only folding asks the server.

const CANVASES = new WeakMap();
const PNG_SCALE = 2;

class Canvas {
  constructor(parent) {
    this.root = made("div", "canvas");
    parent.append(this.root);
    this.view = null;
    this.chosen = null;
    this.moved = false;
    new ResizeObserver(() => this.moved || this.fit()).observe(this.root);
    onPointed("canvas", this.root, (detail) => this.scene && this.pointed(detail));
  }

  update(scene, tell) {
    this.tell = tell;
    const before = this.scene;
    this.scene = scene;
    this.root.style.height = `${scene.height}px`;
    const shape = JSON.stringify([scene.plan, scene.size, scene.box, scene.opened,
      scene.boxes.map((box) => [box.id, box.alone])]);
    if (shape !== this.shape) {
      this.shape = shape;
      if (before?.plan !== scene.plan) {
        this.moved = false;
        this.chosen = null;
      }
      this.draw();
    } else {
      this.fill();
      this.fillFoot();
    }
    this.showPanel();
  }

  draw() {
    const { lines, frames, boxes, box } = this.scene;
    this.lines = lines.map(drawLine);
    this.boxes = boxes.map((one) => drawBox(one, box));
    this.world = svg("g", {}, ...frames.map((frame) => drawFrame(frame, (id) => this.toggle(id))),
      ...this.lines, ...this.boxes);
    this.picture = svg("svg", { class: "plan", role: "group",
      "aria-label": `Operators of ${this.scene.title}` }, this.world);
    this.boxes.forEach((group, place) => this.listen(group, place));
    this.listenToPicture();
    this.side = made("div", "panel");
    this.side.setAttribute("role", "dialog");
    this.side.hidden = true;
    this.stage = made("div", "stage", this.picture, this.side);
    this.below = made("div", "foot");
    this.root.replaceChildren(this.stage, this.below);
    this.fill();
    this.foot();
    if (this.moved && this.view) this.apply();
    else this.fit();
  }

  fill() {
    this.scene.boxes.forEach((box, place) =>
      fillBox(this.boxes[place], box, this.scene.box, this.aloneText(box)));
  }

  aloneText(box) {
    if (!box.alone) return "";
    return box.count > 1 ? `${box.alone} of ${box.count} only in this plan` : "only in this plan";
  }

  toolbar() {
    const zoom = (factor) => () => this.zoom(factor);
    const bar = made("div", "bar",
      press("+", "Zoom in", zoom(1.3)), press("−", "Zoom out", zoom(1 / 1.3)),
      press("Fit", "Show the whole plan", () => this.fit()),
      press("Key", "What colours and lines mean", () => this.showPage("key")),
      press("Text", "Show the plan as text", () => this.showPage("text")),
      press("SVG", "Download picture as an SVG", () => this.save("svg")),
      press("PNG", "Download picture as a PNG", () => this.save("png")));
    if (this.scene.foldable) {
      const folded = this.scene.folded > 0;
      if (folded && this.scene.every.length <= this.scene.most) {
        bar.prepend(press("Unfold", "Unfold all branches", () => this.open(this.scene.every)));
      }
      if (this.scene.opened.length) {
        bar.prepend(press("Fold", "Fold all branches", () => this.open([])));
      }
    }
    return bar;
  }

  foot() {
    const { dearest } = this.scene;
    const at = (place) => this.scene.dearest[place];
    this.chips = dearest.map((_, place) => {
      const chip = press("", "", () => this.choose(at(place).id));
      chip.addEventListener("pointerenter", () => this.trace(at(place).box));
      chip.addEventListener("pointerleave", () => this.trace(-1));
      return chip;
    });
    this.note = made("span", "quiet");
    const named = dearest.length ? [made("span", "key", "Dearest:"), ...this.chips] : [];
    this.below.replaceChildren(...named, this.note, this.toolbar());
    this.fillFoot();
  }

  // During a run figures change all the time: a button that is being pressed stays the same one.
  fillFoot() {
    const { dearest, heat, note, measures } = this.scene;
    if (dearest.length !== this.chips.length) {
      this.foot();
      return;
    }
    dearest.forEach((one, place) => {
      const chip = this.chips[place];
      chip.textContent = `${place + 1}. ${one.name} · ${one.share}`;
      chip.title = `Open ${one.name}`;
      chip.setAttribute("aria-label", chip.title);
    });
    const rings = measures ? " Ring: measured over predicted." : "";
    this.note.textContent = `${note || `Colour: ${heat}.`}${rings}`;
  }

  // --- what is where -----------------------------------------------------------------------

  placeOf(id) {
    const place = this.scene.boxes.findIndex((box) => box.id === id);
    return place >= 0 ? place : (this.scene.dearest.find((one) => one.id === id)?.box ?? -1);
  }

  panelData(id) {
    return this.scene.panels[id] ?? this.scene.boxes[this.placeOf(id)]?.panel;
  }

  nameOf(id) {
    return this.scene.boxes.find((box) => box.id === id)?.name ?? this.scene.panels[id]?.title;
  }

  neighbours(id, end) {
    const other = end === "from" ? "to" : "from";
    const place = this.placeOf(id);
    const found = this.scene.lines.filter((line) => line[other] === place);
    return found.map((line) => this.scene.boxes[line[end]].id);
  }

  // --- clicks and keys ---------------------------------------------------------------------

  listen(group, place) {
    const box = () => this.scene.boxes[place];
    group.addEventListener("click", () => this.moving || this.choose(box().id));
    group.addEventListener("dblclick", () => box().panel && this.toggle(box().id));
    group.addEventListener("pointerenter", () => this.trace(place));
    group.addEventListener("pointerleave", () => this.trace(-1));
    group.addEventListener("focus", () => this.trace(place));
    group.addEventListener("blur", () => this.trace(-1));
    group.addEventListener("keydown", (event) => this.key(event, place));
  }

  key(event, place) {
    const box = this.scene.boxes[place];
    if (event.key === "Enter") this.choose(box.id);
    else if (event.key === " " && box.panel) this.toggle(box.id);
    else if (event.key === "Escape") this.choose(null);
    else if (event.key.startsWith("Arrow")) this.step(event.key, place);
    else return;
    event.preventDefault();
  }

  // The nearest box in the direction of an arrow.
  step(key, place) {
    const [x, y] = this.scene.boxes[place].at;
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1],
      ArrowDown: [0, 1] }[key];
    let best = -1;
    let nearest = Infinity;
    this.scene.boxes.forEach((box, other) => {
      const [along, across] = [(box.at[0] - x) * dx + (box.at[1] - y) * dy,
        Math.abs((box.at[0] - x) * dy) + Math.abs((box.at[1] - y) * dx)];
      if (along > 1 && along + 2 * across < nearest) [best, nearest] = [other, along + 2 * across];
    });
    if (best >= 0) this.boxes[best].focus();
  }

  choose(id) {
    this.chosen = id;
    this.showPanel();
  }

  showPanel() {
    const place = this.chosen === null ? -1 : this.placeOf(this.chosen);
    this.boxes.forEach((group, other) => group.classList.toggle("chosen", other === place));
    if (this.chosen === null) this.closePanel();
    else if (this.panelData(this.chosen)) {
      this.fillPanel(panelOf(this.chosen, this), this.panelData(this.chosen).title);
    } else if (this.chosen === "text") {
      const text = [made("h4", "", "As text"), made("pre", "", this.scene.text)];
      this.fillPanel(text, "The plan as text");
    } else if (this.chosen === "key") this.fillPanel(keyOf(this.scene), "Key");
    else this.closePanel();
  }

  // The key, or the plan as text; a second click closes it.
  showPage(name) {
    this.choose(this.chosen === name ? null : name);
  }

  closePanel() {
    if (this.side.hidden) return;
    this.side.hidden = true;
    if (!this.moved) this.fit();
  }

  fillPanel(parts, title) {
    const scrolled = this.side.hidden ? 0 : this.side.scrollTop;
    const close = press("✕", "Close", () => this.choose(null));
    close.className = "close";
    this.side.replaceChildren(close, ...parts);
    this.side.setAttribute("aria-label", title);
    this.side.hidden = false;
    this.side.scrollTop = scrolled;
    this.side.onkeydown = (event) => event.key === "Escape" && this.choose(null);
    if (!this.moved) this.fit();
  }

  toggle(id) {
    const opened = new Set(this.scene.opened);
    if (!opened.delete(id)) opened.add(id);
    this.open([...opened]);
  }

  open(ids) {
    this.moved = false;
    this.tell("opened", { plan: this.scene.plan, branches: ids });
  }

  // What a box is fed by and what it feeds, all the way; other parts of the page show the box, too.
  trace(start) {
    this.picture.classList.toggle("tracing", start >= 0);
    const others = this.scene.others.filter((other) => other.boxes.includes(start));
    pointOut("canvas", {
      operators: this.scene.boxes[start]?.members ?? [], plans: others.map((other) => other.label) });
    if (start < 0) return;
    const reached = new Set([start]);
    const used = new Set();
    for (const [here, there] of [["to", "from"], ["from", "to"]]) {
      const waiting = [start];
      const seen = new Set(waiting);
      while (waiting.length) {
        const place = waiting.pop();
        this.scene.lines.forEach((line, number) => {
          if (line[here] !== place) return;
          used.add(number);
          if (seen.has(line[there])) return;
          seen.add(line[there]);
          reached.add(line[there]);
          waiting.push(line[there]);
        });
      }
    }
    this.boxes.forEach((group, place) => group.classList.toggle("traced", reached.has(place)));
    this.lines.forEach((path, number) => path.classList.toggle("traced", used.has(number)));
  }

  // What is pointed at elsewhere: operators, or a plan, of which the shared boxes are shown.
  pointed({ operators = [], plan }) {
    const other = this.scene.others.find((one) => one.label === plan);
    const shown = this.scene.boxes.map(({ members }, place) =>
      other ? other.boxes.includes(place) : members.some((id) => operators.includes(id)));
    const some = other ? !shown.every(Boolean) : shown.some(Boolean);
    this.picture.classList.toggle("pointing", some);
    this.boxes.forEach((group, place) => group.classList.toggle("pointed", shown[place]));
  }

  // --- zoom and pan ------------------------------------------------------------------------

  fit() {
    const area = this.stage?.getBoundingClientRect();
    if (!area?.width) return;
    const [width, height] = this.scene.size;
    // Beside an open panel, if there is room.
    const beside = this.side.hidden ? 0 : this.side.offsetWidth;
    const free = area.width - (area.width - beside > 320 ? beside : 0);
    const scale = Math.min((free - 16) / width, (area.height - 16) / height, 1.25);
    this.view = { scale, x: (free - width * scale) / 2, y: (area.height - height * scale) / 2 };
    this.moved = false;
    // Without that room, the chosen box is moved out from behind the panel.
    const chosen = this.scene.boxes[this.chosen === null ? -1 : this.placeOf(this.chosen)];
    const right = chosen ? this.view.x + (chosen.at[0] + this.scene.box[0] / 2) * scale : 0;
    const seen = area.width - beside - 8;
    if (right > seen) this.view.x -= right - seen;
    this.apply();
  }

  apply() {
    const { scale, x, y } = this.view;
    this.world.setAttribute("transform", `translate(${x},${y}) scale(${scale})`);
  }

  zoom(factor, at) {
    const area = this.stage.getBoundingClientRect();
    const [px, py] = at ?? [area.width / 2, area.height / 2];
    const scale = Math.min(4, Math.max(0.05, this.view.scale * factor));
    const ratio = scale / this.view.scale;
    this.view = { scale, x: px - (px - this.view.x) * ratio, y: py - (py - this.view.y) * ratio };
    this.moved = true;
    this.apply();
  }

  listenToPicture() {
    this.picture.addEventListener("wheel", (event) => {
      // A page is scrolled over the picture as elsewhere, unless it has the focus or a key is held.
      if (!event.ctrlKey && !event.metaKey && !this.root.matches(":focus-within")) return;
      event.preventDefault();
      const area = this.stage.getBoundingClientRect();
      const at = [event.clientX - area.left, event.clientY - area.top];
      this.zoom(Math.exp(-event.deltaY / 400), at);
    }, { passive: false });
    let from = null;
    this.picture.addEventListener("pointerdown", (event) => {
      from = { x: event.clientX, y: event.clientY, view: { ...this.view } };
      this.moving = false;
    });
    this.picture.addEventListener("pointermove", (event) => {
      if (!from || !event.buttons) return;
      const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
      if (!this.moving && Math.hypot(dx, dy) < 5) return;
      if (!this.moving) this.picture.setPointerCapture(event.pointerId);
      this.moving = true;
      this.moved = true;
      this.picture.classList.add("panning");
      this.view = { ...from.view, x: from.view.x + dx, y: from.view.y + dy };
      this.apply();
    });
    this.picture.addEventListener("pointerup", () => {
      from = null;
      this.picture.classList.remove("panning");
      setTimeout(() => {
        this.moving = false;
      });
    });
  }

  // --- pictures to save --------------------------------------------------------------------

  asText() {
    const copy = this.picture.cloneNode(true);
    const [width, height] = this.scene.size;
    copy.setAttribute("viewBox", `-12 -12 ${width + 24} ${height + 24}`);
    copy.setAttribute("width", width + 24);
    copy.setAttribute("height", height + 24);
    copy.firstChild.removeAttribute("transform");
    const theme = getComputedStyle(this.root);
    for (const name of ["--st-text-color", "--st-background-color", "--st-font",
      "--st-secondary-background-color", "--st-primary-color"]) {
      copy.style.setProperty(name, theme.getPropertyValue(name));
    }
    for (const name of ["--over", "--under", "--met", "--alone"]) {
      copy.style.setProperty(name, theme.getPropertyValue(name));
    }
    copy.style.background = theme.getPropertyValue("--st-background-color");
    const rules = this.root.getRootNode().querySelector("style")?.textContent ?? "";
    copy.prepend(svg("style", {}, rules));
    return new XMLSerializer().serializeToString(copy);
  }

  async save(format) {
    const text = this.asText();
    const name = `${this.scene.file}.${format}`;
    let address = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    if (format === "png") {
      const image = new Image();
      image.src = address;
      await image.decode();
      const paper = document.createElement("canvas");
      paper.width = image.width * PNG_SCALE;
      paper.height = image.height * PNG_SCALE;
      paper.getContext("2d").drawImage(image, 0, 0, paper.width, paper.height);
      address = paper.toDataURL("image/png");
    }
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
  }
}

export default function ({ data, parentElement, setStateValue }) {
  if (!CANVASES.has(parentElement)) CANVASES.set(parentElement, new Canvas(parentElement));
  CANVASES.get(parentElement).update(data, setStateValue);
}
