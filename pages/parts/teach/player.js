// Plays the steps of one plan or of two. All steps are in the data, so a step is drawn here at once.
// Every text is set as a text node: tuples may hold anything.
// Rows that are read from the back of a hall, of one plan or of two, and places beyond which they are flat.
const MOST_PRESENTED = [14, 6], MOST_TALL = 3;
// With more places the presenter leaves out those that are empty.
const MOST_EMPTY = 6;
// Of the lines that are executed the presenter shows one: the first of these.
const MAIN = ["probe", "shed", "emit", "insert"];
const MOST_SENTENCES = 24;
const [KIND, LINE, CHIP, PLACE, TO, EXAMINED, MATCHED, NOTE] = [0, 1, 2, 3, 4, 5, 6, 7];

function make(tag, className, text) {
  const found = document.createElement(tag);
  if (className) found.className = className;
  if (text !== undefined) found.textContent = text;
  return found;
}

// Whole numbers where they are large, else three digits.
function number(value) {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  return Number(value.toPrecision(3)).toLocaleString("en-US", { maximumSignificantDigits: 3 });
}

function names(some) {
  return some.length > 3 ? `${some.slice(0, 3).join(", ")} and ${some.length - 3} more` : some.join(", ");
}

function title(plan, id) {
  const place = plan.places.find((p) => p.id === id);
  return place ? place.title : id;
}

// The same within a sentence, where names of streams keep their capitals.
function within(plan, id) {
  const found = title(plan, id);
  return `the ${/^(Groups of|Queue:)/.test(found) ? found[0].toLowerCase() + found.slice(1) : found}`;
}

function percent(share) {
  return `${number(Math.round(1000 * share) / 10)}%`;
}

// One sentence for an event.
function sentence(plan, event) {
  const [kind, , chip, place, to, examined, matched, note] = event;
  const end = note ? `: ${note}` : "";
  if (kind === "probe") {
    const [looked, fit] = [examined[0], matched[0]];
    return `${chip} is compared with ${looked} in ${within(plan, place)}: ${fit} ${fit === 1 ? "fits" : "fit"}.`;
  }
  if (kind === "expire") return `${chip} leaves ${within(plan, place)}${end}.`;
  if (kind === "insert") return `${chip} is stored in ${within(plan, to)}.`;
  if (kind === "move") return `${chip} moves to ${within(plan, to)}${end}.`;
  if (kind === "shed") return `${chip} is shed${end}.`;
  if (kind === "wait") return `${chip} joins ${within(plan, to)}${end}.`;
  if (kind === "emit") return `Result${to ? " of " + to : ""}: ${names(matched[1])}${end}.`;
  if (kind === "update") return `${chip} is updated in ${within(plan, place)}${end}.`;
  return `${chip} ${note}.`;
}

function chip(data, id, before, label) {
  const known = data.chips[id.trim()];
  const found = make("span", "chip");
  found.dataset.id = id;
  if (known) found.style.setProperty("--c", data.colours[known[0]]);
  found.append(make("span", "", id));
  const text = label || (known && known[1]);
  if (text) found.append(make("small", "", text));
  if (known) found.title = `arrived at ${known[2]} s`;
  if (before) found.classList.add(before);
  return found;
}

// Tuples of a hashed window by bucket.
function inBuckets(chips, buckets) {
  const found = {};
  chips.forEach((one, n) => (found[buckets[n]] ??= []).push(one));
  const order = Object.keys(found).sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  return order.map((name) => {
    const bucket = make("span", "bucket");
    bucket.append(make("span", "more", name), ...found[name]);
    return bucket;
  });
}

function drawPlan(data, plan, panel, at, most) {
  const step = at ? plan.steps[at - 1] : plan.start;
  panel.replaceChildren();
  const head = make("div", "head");
  head.append(make("span", "label", plan.label));
  const race = make("span", "race");
  if (step.figure !== null) {
    const whole = step.exact && step.exact.figure !== null ? ` of ${number(step.exact.figure)}` : "";
    race.append(make("b", "", number(step.figure)), `${whole} ${data.unit}`);
    if (step.predicted !== null) race.append(`, predicted ${number(step.predicted)}`);
    race.append(" · ");
  }
  const all = step.exact?.results;
  race.append(`${number(step.results)}${all ? ` of ${number(all)}` : ""} ${data.results}`);
  if (all) {
    race.append(": recall ", make("b", "", percent(step.results / all)));
    if (plan.recall !== null) race.append(`, predicted ${percent(plan.recall)}`);
  }
  if (step.waited) race.append(`, ${number(step.waited)} s late on average`);
  head.append(race);
  const track = make("div", "track"), bar = make("div");
  bar.style.width = `${most && step.figure ? Math.min(100, (100 * step.figure) / most) : 0}%`;
  track.append(bar);
  panel.append(head, track);
  const marks = {}, probed = new Set(), lines = new Set(), gone = {};
  const main = MAIN.map((kind) => step.events.find((e) => e[KIND] === kind)).find(Boolean) ?? step.events[0];
  for (const e of step.events) {
    lines.add(e[LINE]);
    if (e[KIND] === "probe") {
      probed.add(e[PLACE]);
      for (const c of e[EXAMINED][1]) marks[c] ??= "examined";
      for (const c of e[MATCHED][1]) marks[c] = "matched";
    }
    if (e[KIND] === "expire" || e[KIND] === "shed") (gone[e[PLACE]] ??= []).push(e[CHIP]);
    if (e[KIND] === "insert" || e[KIND] === "move" || e[KIND] === "wait") marks[e[CHIP]] ??= "fresh";
    if (e[KIND] === "update") marks[e[CHIP]] = "updated";
  }
  for (const place of plan.places) {
    const box = make("div", probed.has(place.id) ? "place probed" : "place");
    if (data.present && Math.max(...data.plans.map((p) => p.places.length)) > MOST_TALL) box.classList.add("flat");
    const [count, every] = step.contents[place.id] || [0, []];
    if (data.present && plan.places.length > MOST_EMPTY && !count && !gone[place.id]) continue;
    const held = data.present ? every.slice(-MOST_PRESENTED[data.plans.length - 1]) : every;
    const room = place.room === null ? "" : ` of ${place.room}`;
    box.append(make("div", "title", `${place.title} · ${count}${room} ${place.holds}${count === 1 && !room ? "" : "s"}`));
    const row = make("div", "row");
    for (const id of (gone[place.id] || []).slice(0, data.present ? 1 : 8)) {
      if (!held.includes(id)) row.append(chip(data, id, "gone"));
    }
    if (count > held.length) row.append(make("span", "more", `+${count - held.length} older`));
    const drawn = held.map((id) => chip(data, id, marks[id], step.labels[id]));
    const buckets = step.buckets[place.id];
    row.append(...(buckets ? inBuckets(drawn, buckets.slice(buckets.length - drawn.length)) : drawn));
    box.append(row);
    panel.append(box);
    if (data.present) fit(row, count - held.length);
  }
  const list = make("ol", "lines");
  plan.lines.forEach((line, n) => {
    if (data.present) { if (main && main[LINE] === n) list.append(make("li", "now", line)); }
    else list.append(make("li", lines.has(n) ? "now" : "", line));
  });
  panel.append(list);
  const done = make("div", "done");
  done.tabIndex = 0;
  done.setAttribute("role", "region");
  done.setAttribute("aria-label", "What happens in this step");
  const shown = step.events.slice(0, MOST_SENTENCES);
  for (const e of shown) done.append(make("div", "", sentence(plan, e)));
  const more = step.events.length - shown.length + step.more;
  if (more) done.append(make("div", "", `… and ${number(more)} more`));
  panel.append(done);
  if (data.present) return;
  const table = make("table"), top = make("tr");
  for (const text of ["Operator", data.counter, ...(step.expected ? ["predicted"] : [])]) top.append(make("th", "", text));
  table.append(top);
  plan.operators.forEach((operator, n) => {
    const row = make("tr");
    row.append(make("td", "", operator), make("td", "", number(step.counts[n] || 0)));
    if (step.expected) row.append(make("td", "", number(step.expected[n])));
    table.append(row);
  });
  panel.append(table);
}

// A presented row has one line: the oldest tuples make room for the newest.
function fit(row, older) {
  const more = row.querySelector(":scope > .more") ?? make("span", "more");
  for (const chip of row.querySelectorAll(":scope > .chip:not(.gone)")) {
    if (row.scrollWidth <= row.clientWidth) return;
    chip.remove();
    older += 1;
    more.textContent = `+${older} older`;
    if (!more.isConnected) row.prepend(more);
  }
}

// Chips move from where they were to where they are now.
function positions(root) {
  const found = {};
  for (const panel of root.querySelectorAll(".plan")) {
    for (const c of panel.querySelectorAll(".chip")) found[`${panel.dataset.nth} ${c.dataset.id}`] = c.getBoundingClientRect();
  }
  return found;
}

function move(root, before) {
  const moved = [];
  for (const panel of root.querySelectorAll(".plan")) {
    const entry = panel.querySelector(".label").getBoundingClientRect();
    for (const c of panel.querySelectorAll(".chip:not(.gone)")) {
      const now = c.getBoundingClientRect();
      const was = before[`${panel.dataset.nth} ${c.dataset.id}`] || entry;
      const [x, y] = [was.left - now.left, was.top - now.top];
      if (x || y) moved.push([c, x, y]);
    }
  }
  // After all places are known: an animation that begins makes the browser lay out anew.
  for (const [c, x, y] of moved) {
    c.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], { duration: 350, easing: "ease-out" });
  }
}

export default function (component) {
  const { data, parentElement } = component;
  if (!data || !data.plans) return;
  const kept = parentElement.teach && parentElement.teach.id === data.id ? parentElement.teach : { id: data.id, at: 0 };
  parentElement.teach = kept;
  const steps = data.plans[0].steps.length;
  // Streamlit may call this again without having cleaned up.
  parentElement.clearTeach?.();
  parentElement.querySelector(".teach")?.remove();
  const root = make("div", data.present ? "teach present" : "teach");
  const bar = make("div", "bar");
  const back = make("button", "", "◀ Back"), next = make("button", "", "Next tuple ▶"), play = make("button", "", "Play");
  const scrub = make("input"), where = make("span", "where"), speed = make("select");
  scrub.type = "range"; scrub.min = 0; scrub.max = steps; scrub.setAttribute("aria-label", "Step");
  speed.setAttribute("aria-label", "Speed");
  for (const [text, ms] of [["slow", 2000], ["normal", 1000], ["fast", 400], ["very fast", 150]]) {
    const option = make("option", "", text);
    option.value = ms; option.selected = ms === 1000;
    speed.append(option);
  }
  bar.append(back, next, play, speed, scrub, where);
  const plans = make("div", data.plans.length > 1 ? "plans two" : "plans");
  const panels = data.plans.map((_, n) => { const p = make("div", "plan"); p.dataset.nth = n; plans.append(p); return p; });
  const same = make("div", "same");
  root.append(bar, plans, same);
  parentElement.append(root);
  let timer = null;
  const most = Math.max(...data.plans.flatMap((p) => p.steps.map((step) => step.figure || 0)));

  function draw(animate) {
    const begun = performance.now();
    const before = animate ? positions(root) : null;
    data.plans.forEach((plan, n) => drawPlan(data, plan, panels[n], kept.at, most));
    if (before) move(root, before);
    scrub.value = kept.at;
    const step = kept.at ? data.plans[0].steps[kept.at - 1] : data.plans[0].start;
    const arrives = step.arrivals.length ? ` · ${names(step.arrivals)} ${step.arrivals.length > 1 ? "arrive" : "arrives"}` : step.last ? " · nothing more arrives" : kept.at ? " · a scan ends" : "";
    where.textContent = `Step ${kept.at} of ${steps} · ${step.time} s${arrives}`;
    back.disabled = kept.at === 0; next.disabled = kept.at === steps;
    if (data.plans.length > 1) {
      const [one, two] = data.plans.map((p) => (kept.at ? p.steps[kept.at - 1] : p.start));
      if (data.sheds) same.textContent = `Answers may differ here: ${number(one.results)} and ${number(two.results)} ${data.results} so far.`;
      else same.textContent = one.digest === two.digest ? "✓ Both plans have the same answer so far." : "The answers differ for now: one plan delivers later than the other.";
    }
    root.dataset.at = kept.at;
    root.dataset.ms = (performance.now() - begun).toFixed(1);
  }
  function go(to, animate) {
    kept.at = Math.max(0, Math.min(steps, to));
    draw(animate);
    if (kept.at === steps) stop();
  }
  function stop() { clearInterval(timer); timer = null; play.textContent = "Play"; }
  function start() {
    if (kept.at === steps) kept.at = 0;
    play.textContent = "Pause";
    timer = setInterval(() => go(kept.at + 1, Number(speed.value) > 200), Number(speed.value));
  }
  back.onclick = () => go(kept.at - 1, true);
  next.onclick = () => go(kept.at + 1, true);
  play.onclick = () => (timer ? stop() : start());
  speed.onchange = () => { if (timer) { stop(); start(); } };
  scrub.oninput = () => go(Number(scrub.value), false);
  // A choice that was clicked keeps the focus, and arrow keys would change it: they are for steps then.
  let pointed = false;
  function point() { pointed = true; }
  function keys(event) {
    if (event.key === "Tab") pointed = false;
    if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
    const target = event.composedPath()[0];
    const clicked = pointed && target instanceof HTMLInputElement && target.type === "radio";
    const writes = target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
    if (writes && target !== scrub && !clicked) return;
    go(kept.at + (event.key === "ArrowRight" ? 1 : -1), true);
    event.preventDefault();
    event.stopPropagation();
  }
  document.addEventListener("keydown", keys, true);
  document.addEventListener("pointerdown", point, true);
  draw(false);
  parentElement.clearTeach = () => {
    stop();
    document.removeEventListener("keydown", keys, true);
    document.removeEventListener("pointerdown", point, true);
  };
  return parentElement.clearTeach;
}
