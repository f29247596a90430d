// Formulas as MathML. Ours use little of LaTeX: fractions, indices, powers, a few signs and names.

const MATHML = "http://www.w3.org/1998/Math/MathML";
const SIGNS = { cdot: "·", sum: "∑", prod: "∏", min: "min", max: "max", log: "log", bowtie: "⋈",
  wedge: "^", sim: "~", backslash: "\\", lceil: "⌈", rceil: "⌉", quad: "\u2003", infty: "∞",
  alpha: "α", beta: "β", gamma: "γ", epsilon: "ε", kappa: "κ", lambda: "λ", mu: "μ", nu: "ν",
  phi: "φ", rho: "ρ", sigma: "σ", tau: "τ", chi: "χ", Delta: "Δ", leq: "≤", le: "≤", ge: "≥",
  times: "×" };
const ACCENTS = { bar: "¯", overline: "¯", hat: "^" };

function mathNode(tag, ...children) {
  const made = document.createElementNS(MATHML, tag);
  made.append(...children);
  return made;
}

function pieces(text) {
  return text.match(/\\[a-zA-Z]+|\\.|[{}^_]|\d+(?:[.,]\d+)*|\s+|./gsu) ?? [];
}

// One group in braces, or one piece; `at` is moved behind it.
function argument(tokens, at) {
  while (/^\s+$/.test(tokens[at.place] ?? "")) at.place += 1;
  if (tokens[at.place] !== "{") return one(tokens, at);
  at.place += 1;
  return row(tokens, at);
}

// The letters of a group, as they are: names of streams.
function letters(tokens, at) {
  let text = "";
  at.place += 1;
  while (at.place < tokens.length && tokens[at.place] !== "}") {
    const token = tokens[at.place];
    text += token.startsWith("\\") ? (SIGNS[token.slice(1)] ?? token.slice(1)) : token;
    at.place += 1;
  }
  at.place += 1;
  return text;
}

function one(tokens, at) {
  const token = tokens[at.place];
  at.place += 1;
  if (token === undefined) return mathNode("mrow");
  if (token === "{") return row(tokens, at);
  if (/^\d/.test(token)) return mathNode("mn", token);
  if (!token.startsWith("\\")) return mathNode(/[a-zA-Z\u0370-\u03ff]/.test(token) ? "mi" : "mo", token);
  const name = token.slice(1);
  if (name === "frac") return mathNode("mfrac", argument(tokens, at), argument(tokens, at));
  if (name === "mathrm" || name === "text") return mathNode("mtext", letters(tokens, at).replaceAll(" ", "\u00a0"));
  if (name in ACCENTS) return mathNode("mover", argument(tokens, at), mathNode("mo", ACCENTS[name]));
  if (name === "left" || name === "right") return one(tokens, at);
  const sign = SIGNS[name] ?? name;
  return mathNode(/^[\u0370-\u03ff]$/.test(sign) ? "mi" : "mo", sign);
}

function row(tokens, at) {
  const made = mathNode("mrow");
  while (at.place < tokens.length) {
    const token = tokens[at.place];
    if (token === "}") {
      at.place += 1;
      break;
    }
    if (/^\s+$/.test(token)) {
      at.place += 1;
    } else if (token === "_" || token === "^") {
      at.place += 1;
      const base = made.lastChild ?? mathNode("mrow");
      made.append(mathNode(token === "_" ? "msub" : "msup", base, argument(tokens, at)));
    } else {
      made.append(one(tokens, at));
    }
  }
  return made;
}

function formulaLine(latex) {
  const math = mathNode("math", row(pieces(latex), { place: 0 }));
  math.setAttribute("displaystyle", "true");
  const line = document.createElement("div");
  line.className = "formula";
  line.append(math);
  return line;
}
