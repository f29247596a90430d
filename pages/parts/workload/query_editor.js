// Query texts with highlighting: a coloured copy lies behind each text box, whose own letters are
// see-through. The box stays Streamlit's: typing, undo and screen readers work as ever.

const WORDS = new Set(
  ("SELECT FROM WHERE GROUP BY AND OR NOT AS IN BETWEEN DISTINCT CROSS JOIN WINDOW RANGE ROWS " +
    "TUMBLING LANDMARK COUNT SUM AVG MIN MAX UNTIL NOW").split(" "),
);
const UNITS = /^(MS|SEC|SECONDS?|MIN|MINUTES?|HOURS?|DAYS?)$/i;
const TOKEN =
  /(--[^\n]*|\/\*[\s\S]*?\*\/)|('(?:[^']|'')*'?)|("(?:[^"]|"")*"?)|(\d+(?:\.\d*)?)|([\p{L}_][\p{L}\p{N}_]*)|(\s+)|(.)/gu;

function kindOf(token) {
  if (token[1]) return "comment";
  if (token[2]) return "text";
  if (token[4]) return "number";
  if (token[5] && WORDS.has(token[5].toUpperCase())) return "keyword";
  if (token[5] && UNITS.test(token[5])) return "unit";
  return token[7] ? "sign" : "";
}

function draw(box, behind) {
  behind.replaceChildren();
  for (const token of box.value.matchAll(TOKEN)) {
    const piece = document.createElement("span");
    piece.className = kindOf(token);
    piece.textContent = token[0];
    behind.append(piece);
  }
  // A last line that is empty has a height, too.
  behind.append("\n");
  follow(box, behind);
}

function follow(box, behind) {
  behind.scrollTop = box.scrollTop;
  behind.scrollLeft = box.scrollLeft;
}

function place(box, behind) {
  const shape = getComputedStyle(box);
  for (const name of ["padding", "fontSize", "lineHeight", "letterSpacing", "tabSize"]) {
    behind.style[name] = shape[name];
  }
  behind.style.width = `${box.clientWidth}px`;
  behind.style.height = `${box.clientHeight}px`;
  behind.style.left = `${box.offsetLeft}px`;
  behind.style.top = `${box.offsetTop}px`;
}

function decorate(box) {
  if (box.dataset.sluiceEditor) return;
  box.dataset.sluiceEditor = "yes";
  box.spellcheck = false;
  const behind = document.createElement("pre");
  behind.className = "sluice-behind";
  behind.setAttribute("aria-hidden", "true");
  box.parentElement.style.position = "relative";
  box.parentElement.append(behind);
  const redraw = () => {
    place(box, behind);
    draw(box, behind);
  };
  box.addEventListener("input", redraw);
  box.addEventListener("scroll", () => follow(box, behind));
  new ResizeObserver(redraw).observe(box);
  // Streamlit may set another text without an event.
  let shown = box.value;
  const watch = setInterval(() => {
    if (!box.isConnected) clearInterval(watch);
    else if (box.value !== shown) redraw();
    shown = box.value;
  }, 250);
  redraw();
}

// The theme's colours are known inside of components only.
function shareColours(component) {
  const theme = getComputedStyle(component);
  for (const name of ["text-color", "link-color", "green-text-color", "orange-text-color"]) {
    const colour = theme.getPropertyValue(`--st-${name}`);
    document.documentElement.style.setProperty(`--sluice-${name}`, colour);
  }
}

export default function ({ parentElement }) {
  shareColours(parentElement);
  const look = () =>
    document.querySelectorAll('[class*="st-key-query-"] textarea').forEach(decorate);
  look();
  const observer = new MutationObserver(look);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => observer.disconnect();
}
