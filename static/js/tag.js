// Tagging with comfort: keys, many rows at once, undo step by step, the live reading of the set.
// Without this file the page is one form with a save and a reset button.
const form = document.querySelector("[data-tag-form]");
const rows = [...form.querySelectorAll("tr[data-position]")];
const roleOf = (row) => row.querySelector("select");
const boxOf = (row) => row.querySelector("input[type=checkbox]");
const undo = document.querySelector("[data-undo]");
const panel = document.querySelector("[data-identifying-url]");
const steps = [];
let anchor = null;
let timer = null;

const snapshot = () => rows.map((row) => roleOf(row).value);
let last = snapshot();

const paint = (row) => {
  row.classList.toggle("untagged", roleOf(row).value === "");
  row.classList.toggle("selected", boxOf(row).checked);
  const words = row.querySelector("[data-granted]");
  words.hidden = roleOf(row).value !== "consent";
  words.querySelector("input").required = !words.hidden;
  const known = row.querySelector("[data-known]");
  known.hidden = roleOf(row).value !== "other";
  const reason = known.querySelector("[data-reason]");
  reason.hidden = known.hidden || known.querySelector("input:checked").value !== "no";
  reason.querySelectorAll("select, input").forEach((field) => { field.required = !reason.hidden; });
};

const counts = () => {
  const open = rows.filter((row) => roleOf(row).value === "").length;
  const notice = form.querySelector("[data-untagged]");
  notice.hidden = open === 0;
  const word = notice.querySelector("b");
  word.textContent = open === 1 ? "1 column is untagged and will be dropped." : `${open} columns are untagged and will be dropped.`;
  const picked = rows.filter((row) => boxOf(row).checked).length;
  form.querySelector("[data-picked]").textContent = picked ? `${picked} selected` : "none selected";
  undo.disabled = steps.length === 0;
};

const read = () => {
  if (!panel) return;
  const asked = { "quasi-identifier": "c", sensitive: "l", other: "l" };
  const chosen = rows.filter((row) => asked[roleOf(row).value]).map((row) => `${asked[roleOf(row).value]}=${row.dataset.position}`);
  htmx.ajax("GET", `${panel.dataset.identifyingUrl}?${chosen.join("&")}`, { target: panel, swap: "innerHTML" });
};

const changed = () => {
  const now = snapshot();
  if (now.some((value, index) => value !== last[index])) {
    steps.push(last);
    last = now;
    clearTimeout(timer);
    timer = setTimeout(read, 250);
  }
  rows.forEach(paint);
  counts();
};

const restore = () => {
  const before = steps.pop();
  if (!before) return;
  rows.forEach((row, index) => { roleOf(row).value = before[index]; });
  last = before;
  rows.forEach(paint);
  counts();
  read();
};

const assign = (role) => {
  const picked = rows.filter((row) => boxOf(row).checked);
  picked.forEach((row) => { roleOf(row).value = role; });
  changed();
};

form.addEventListener("change", (event) => {
  if (event.target.matches("[data-all]")) rows.forEach((row) => { boxOf(row).checked = event.target.checked; });
  changed();
});

form.addEventListener("click", (event) => {
  const bulk = event.target.closest("[data-bulk]");
  if (bulk) {
    event.preventDefault();
    assign(form.querySelector("[name=bulk_role]").value);
  }
  if (event.target.closest("[data-take-suggestions]")) {
    event.preventDefault();
    rows.forEach((row) => { if (roleOf(row).value === "" && row.dataset.suggested) roleOf(row).value = row.dataset.suggested; });
    changed();
  }
  const box = event.target.closest("tr[data-position] input[type=checkbox]");
  if (!box) return;
  const here = rows.indexOf(box.closest("tr"));
  if (event.shiftKey && anchor !== null) {
    const [from, to] = [Math.min(anchor, here), Math.max(anchor, here)];
    rows.slice(from, to + 1).forEach((row) => { boxOf(row).checked = box.checked; });
  }
  anchor = here;
  changed();
});

undo.addEventListener("click", restore);

// Arrow up and down with Alt walk the rows; Ctrl+Z takes back the last step outside of text fields.
form.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "z" && !event.target.matches("input[type=text], textarea")) {
    event.preventDefault();
    restore();
  }
  const row = event.target.closest("tr[data-position]");
  if (!row || !event.altKey || !["ArrowUp", "ArrowDown"].includes(event.key)) return;
  event.preventDefault();
  const next = rows[rows.indexOf(row) + (event.key === "ArrowDown" ? 1 : -1)];
  if (next) (event.target.matches("select") ? roleOf(next) : boxOf(next)).focus();
});

window.addEventListener("beforeunload", (event) => { if (steps.length && !form.dataset.sent) event.preventDefault(); });
form.addEventListener("submit", () => { form.dataset.sent = "yes"; });
rows.forEach(paint);
counts();
