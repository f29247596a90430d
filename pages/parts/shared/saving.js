// Buttons that save figures: an SVG beside the camera of every chart (which saves a PNG), and both
// on the pictures of plans. Streamlit runs this when it draws a page; once for a tab is enough.

const BUTTON = "sluice-save";
const PNG_SCALE = 2;

const STYLE = `
.${BUTTON} { font: 600 11px sans-serif; padding: 2px 6px; margin: 0 2px; cursor: pointer;
  color: inherit; background: transparent; border: 1px solid currentColor; border-radius: 4px;
  opacity: 0.65; }
.${BUTTON}:hover, .${BUTTON}:focus-visible { opacity: 1; }
.modebar-group .${BUTTON} { font-size: 9px; padding: 0 3px; line-height: 14px;
  vertical-align: middle; color: #7a868f; }
.${BUTTON}-bar { position: absolute; top: 0; right: 0; opacity: 0; }
*:hover > .${BUTTON}-bar, .${BUTTON}-bar:focus-within { opacity: 1; }
`;

function button(text, told, onClick) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = BUTTON;
  made.textContent = text;
  made.title = told;
  made.setAttribute("aria-label", told);
  made.addEventListener("click", onClick);
  return made;
}

function save(address, name) {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}

// A saved picture has none of the page's fonts: its letters are measured as they will be drawn.
function measurePlainLetters(chart) {
  const { layout } = chart;
  const { font } = layout;
  layout.font = { ...font, family: "sans-serif" };
  setTimeout(() => { layout.font = font; });
}

// A chart saves itself in the format that its settings name when its camera is clicked.
function dressChart(camera) {
  const chart = camera.closest(".js-plotly-plot");
  camera.addEventListener("click", () => measurePlainLetters(chart), { capture: true });
  camera.after(
    button("SVG", "Download plot as an SVG", () => {
      const settings = chart._context.toImageButtonOptions;
      chart._context.toImageButtonOptions = { ...settings, format: "svg" };
      camera.click();
      chart._context.toImageButtonOptions = settings;
    }),
  );
}

function nameOf(holder) {
  const told = holder.getAttribute("aria-label") ?? "plan";
  const words = told.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["plan"];
  return ["sluice", ...words].join("-").slice(0, 80);
}

function asText(drawn) {
  const copy = drawn.cloneNode(true);
  const { width, height } = drawn.viewBox.baseVal;
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  return new XMLSerializer().serializeToString(copy);
}

function savePicture(holder) {
  const text = asText(holder.querySelector("svg"));
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  save(address, `${nameOf(holder)}.svg`);
  URL.revokeObjectURL(address);
}

async function savePictureAsPng(holder) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(asText(holder.querySelector("svg")))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width * PNG_SCALE;
  canvas.height = image.height * PNG_SCALE;
  const paper = canvas.getContext("2d");
  paper.fillStyle = "white";
  paper.fillRect(0, 0, canvas.width, canvas.height);
  paper.drawImage(image, 0, 0, canvas.width, canvas.height);
  save(canvas.toDataURL("image/png"), `${nameOf(holder)}.png`);
}

function dressPicture(holder) {
  const bar = document.createElement("div");
  bar.className = `${BUTTON}-bar`;
  bar.append(
    button("SVG", "Download picture as an SVG", () => savePicture(holder)),
    button("PNG", "Download picture as a PNG", () => savePictureAsPng(holder)),
  );
  holder.style.position = "relative";
  holder.append(bar);
}

function dress() {
  for (const camera of document.querySelectorAll('.modebar-btn[data-title^="Download plot"]')) {
    if (!camera.nextElementSibling?.classList.contains(BUTTON)) dressChart(camera);
  }
  for (const holder of document.querySelectorAll('[data-testid="stGraphVizChart"]')) {
    if (holder.querySelector("svg") && !holder.querySelector(`.${BUTTON}-bar`)) {
      dressPicture(holder);
    }
  }
}

export default function () {
  if (document.getElementById(BUTTON)) return;
  const style = document.createElement("style");
  style.id = BUTTON;
  style.textContent = STYLE;
  document.head.append(style);
  let waiting = false;
  new MutationObserver(() => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      dress();
    });
  }).observe(document.body, { subtree: true, childList: true });
  dress();
}
