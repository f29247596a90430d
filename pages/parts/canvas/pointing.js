// What the mouse points at in one part of a page, for the others: operators by their ids, on the
// canvas, in loops and in bars; plans by their labels, in the landscape.

const POINTED = "sluice-pointed";
const CHOSEN = "sluice-chosen";

function pointOut(part, pointed) {
  window.dispatchEvent(new CustomEvent(POINTED, { detail: { part, ...pointed } }));
  const { operators = [] } = pointed;
  if (part !== "bars") pointInBars(operators);
}

// A part that is gone from the page hears nothing any more.
function listenTo(name, element, hear) {
  const heard = ({ detail }) => {
    if (element.isConnected) hear(detail);
    else window.removeEventListener(name, heard);
  };
  window.addEventListener(name, heard);
}

function onPointed(part, element, show) {
  listenTo(POINTED, element, (detail) => detail.part !== part && show(detail));
}

// --- bars: Plotly's, whose points have the ids of their operators as data --------------------

const FAINT = "0.25";

function ids(value) {
  return Array.isArray(value) ? value : [value];
}

function pointInBars(operators) {
  for (const plot of document.querySelectorAll(".js-plotly-plot")) {
    const groups = plot.querySelectorAll(".barlayer .trace.bars");
    (plot.data ?? []).filter((trace) => trace.type === "bar").forEach((trace, number) => {
      const named = trace.customdata ? [...trace.customdata].map(ids) : [];
      const paths = groups[number]?.querySelectorAll(".point") ?? [];
      paths.forEach((path, place) => {
        const meant = named[place]?.some((id) => operators.includes(id));
        path.style.opacity = operators.length && named.length && !meant ? FAINT : "";
      });
    });
  }
}

const HEARD_PLOTS = new WeakSet();

// A plot is heard from the first time that the mouse is over it.
function hearPlot(event) {
  const plot = event.target.closest?.(".js-plotly-plot");
  if (!plot || HEARD_PLOTS.has(plot) || !plot.on) return;
  HEARD_PLOTS.add(plot);
  plot.on("plotly_hover", ({ points }) => {
    const found = points.flatMap((point) => ids(point.customdata ?? []));
    pointOut("bars", { operators: found });
  });
  plot.on("plotly_unhover", () => pointOut("bars", {}));
}

// Several parts of a page have this script; one of them is enough.
if (!window.sluiceHearsPlots) {
  window.sluiceHearsPlots = true;
  document.addEventListener("mouseover", hearPlot);
}
