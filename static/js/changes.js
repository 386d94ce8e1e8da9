// A part of a page that changes by itself says with data-watch what it shows, and fetches itself anew when it is told
// to look. One line to the server for the whole page says what has changed. While there is no line, because the browser
// knows none or it broke, every part looks each second.
const EVERY = 1000, SILENT = 40_000, TRY_AGAIN = 10_000;
const due = new Set();
let line = null, watched = "", heardAt = -Infinity, triedAt = -Infinity;

const parts = () => [...document.querySelectorAll("[data-watch]")];
const topicsOf = (part) => part.dataset.watch.split(" ");
const shown = () => [...new Set(parts().flatMap(topicsOf))].sort();
const isHeard = () => performance.now() - heardAt < SILENT;

// A part that is being fetched is fetched once more when it has come.
function lookWhereDue() {
  const busy = new Set();
  for (const part of parts()) {
    if (!topicsOf(part).some((topic) => due.has(topic))) continue;
    if (part.classList.contains("htmx-request")) topicsOf(part).forEach((topic) => busy.add(topic));
    else htmx.trigger(part, "look");
  }
  for (const topic of due) if (!busy.has(topic)) due.delete(topic);
}

function look(topics) {
  topics.forEach((topic) => due.add(topic));
  lookWhereDue();
}

function hear(event) {
  heardAt = performance.now();
  if (event.type === "begun") look(shown()); // what changed before the line was open
  if (event.type === "changed") look(event.data.split(","));
}

function listen() {
  line?.close();
  line = null;
  heardAt = -Infinity;
  triedAt = performance.now();
  if (!watched || !window.EventSource) return;
  line = new EventSource(`/changes/${watched}/`);
  for (const name of ["begun", "alive", "changed"]) line.addEventListener(name, hear);
  line.addEventListener("error", () => { heardAt = -Infinity; });
}

// A page that nobody looks at holds no line: a browser has only a few for one site.
function follow() {
  const wanted = document.hidden ? "" : shown().join(",");
  if (wanted === watched) return;
  watched = wanted;
  listen();
}

function keepUp() {
  follow();
  if (!watched || isHeard()) return;
  if ((!line || line.readyState !== EventSource.CONNECTING) && performance.now() - triedAt > TRY_AGAIN) listen();
  look(shown());
}

// Nobody did anything: a page that looks by itself keeps nobody signed in.
document.addEventListener("htmx:configRequest", (event) => {
  if (event.detail.triggeringEvent?.type === "look") event.detail.headers["Looks-By-Itself"] = "true";
});
document.addEventListener("visibilitychange", follow);
document.addEventListener("htmx:afterSettle", () => { follow(); lookWhereDue(); });
document.addEventListener("htmx:afterRequest", lookWhereDue);
// Not before: only then do the parts know what to do when they are told to look.
document.addEventListener("DOMContentLoaded", () => { follow(); setInterval(keepUp, EVERY); });
