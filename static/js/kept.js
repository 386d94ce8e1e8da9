// What somebody typed survives a session that ended: a form marked `data-keep` is kept in this tab when it is
// sent, and put back on its page after signing in. On every other way out of the page it is forgotten.
const KEY = "typed";
const entrance = document.querySelector(".entrance") !== null;

function keep(form) {
  const fields = [...new FormData(form)].filter(
    ([name, value]) => typeof value === "string" && name !== "csrfmiddlewaretoken",
  );
  sessionStorage.setItem(KEY, JSON.stringify({ path: location.pathname, form: form.id, fields, ended: false }));
}

// Sent once more for the page to be drawn again, not to be saved: a form that grew has fields the page lacks.
function draw(form, fields) {
  const again = document.createElement("form");
  again.method = "post";
  again.action = form.action;
  const token = form.querySelector("input[name=csrfmiddlewaretoken]");
  for (const [name, value] of [...fields, ["csrfmiddlewaretoken", token.value], ["do", "restore"]]) {
    const field = document.createElement("input");
    Object.assign(field, { type: "hidden", name, value });
    again.append(field);
  }
  document.body.append(again);
  again.submit();
}

function fill(form, fields) {
  for (const [name, value] of fields) {
    const field = form.elements[name];
    if (field && name !== "revision" && !["checkbox", "radio"].includes(field.type)) field.value = value;
  }
}

const kept = JSON.parse(sessionStorage.getItem(KEY));
if (kept && entrance) {
  sessionStorage.setItem(KEY, JSON.stringify({ ...kept, ended: true }));
} else if (kept) {
  sessionStorage.removeItem(KEY);
  const form = document.getElementById(kept.form);
  if (form && kept.ended && kept.path === location.pathname) {
    (form.dataset.keep === "drawn" ? draw : fill)(form, kept.fields);
  }
}

document.addEventListener("submit", (event) => {
  if (event.target.matches("form[data-keep]")) keep(event.target);
});
document.addEventListener("htmx:configRequest", (event) => {
  const form = event.detail.elt.form || event.detail.elt.closest("form");
  if (form && form.matches("[data-keep]")) keep(form);
});
document.addEventListener("htmx:afterSwap", () => sessionStorage.removeItem(KEY));
