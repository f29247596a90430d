// A page that goes blank is drawn again. Streamlit may still answer the timer of a page that was
// just left (https://github.com/streamlit/streamlit/issues/9080 tells of its kind): it then clears
// the page that has been drawn since, and what the router draws is all that stays.

const LOOK_MS = 500;
const BLANK_LOOKS = 3;

function isBlank() {
  const app = document.querySelector("[data-testid=stApp]");
  const main = document.querySelector("[data-testid=stMainBlockContainer]");
  if (!main || app?.dataset.testScriptState !== "notRunning") return false;
  const drawn = main.querySelectorAll("[data-testid=stElementContainer]");
  return [...drawn].every((one) => /st-key-sluice-/.test(one.className));
}

// The address still names the page: its link draws it.
function linkOfPage() {
  const links = [...document.querySelectorAll("a[data-testid*=NavLink]")];
  return links.find((link) => new URL(link.href).pathname === location.pathname);
}

// Streamlit pushes an address for the page and another for its query: Back would need two presses.
// Sessions keep the choices that the query names, so going back to an older query does nothing.
function onePressPerPage() {
  const push = history.pushState.bind(history);
  history.pushState = (state, title, url) => {
    const samePage = url && new URL(url, location.href).pathname === location.pathname;
    return samePage ? history.replaceState(state, title, url) : push(state, title, url);
  };
}

export default function () {
  if (window.sluiceRedraws) return;
  window.sluiceRedraws = true;
  onePressPerPage();
  let blankFor = 0;
  setInterval(() => {
    blankFor = isBlank() ? blankFor + 1 : 0;
    if (blankFor >= BLANK_LOOKS) {
      blankFor = 0;
      linkOfPage()?.click();
    }
  }, LOOK_MS);
}
