// An icon and a colour for every kind of operator; the colours suit the colour-blind.

const KINDS = {
  source: { word: "source", colour: "#0072B2", icon: "M2 8h9M8 4l4 4-4 4" },
  window: { word: "window", colour: "#56788F", icon: "M3 3h10v10H3zM3 7h10M7 3v10" },
  join: { word: "join", colour: "#B35900", icon: "M3 3v10l10-10v10z" },
  filter: { word: "filter", colour: "#8C6BB1", icon: "M2 3h12l-5 6v5l-2-1V9z" },
  group: { word: "aggregation", colour: "#A6437A", icon: "M12 3H4l5 5-5 5h8" },
  route: { word: "routing", colour: "#7A6A1F", icon: "M3 13V8h10M9 4l4 4-4 4" },
  output: { word: "result", colour: "#00795A", icon: "M3 8l4 4 7-8" },
};
const KIND_OF = {
  arrive: "source", table: "source", insert: "window", expire: "window", keep: "window",
  probe: "join", slice: "join", join: "join", lookup: "join", filter: "filter", select: "filter",
  survive: "filter", split: "filter", aggregate: "group", update: "group", route: "route",
  union: "route", schedule: "route", output: "output",
  // Branches, by what they are about.
  stream: "source", arrivals: "join", query: "output",
};

function kindOf(kind) {
  return KINDS[KIND_OF[kind] ?? "route"];
}
