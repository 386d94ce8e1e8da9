// Small manners of every page: open menus close on Escape or on a click elsewhere; htmx sends the CSRF token;
// a form that says so is sent as soon as a choice in it changes.
const menus = () => document.querySelectorAll("details[data-menu][open]");

document.addEventListener("click", (event) => {
  menus().forEach((menu) => { if (!menu.contains(event.target)) menu.open = false; });
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  menus().forEach((menu) => { menu.open = false; menu.querySelector("summary").focus(); });
});

document.addEventListener("htmx:configRequest", (event) => {
  const token = document.querySelector("input[name=csrfmiddlewaretoken]");
  if (token) event.detail.headers["X-CSRFToken"] = token.value;
});

// A session that ended answers a fragment with the sign-in page: show it as a page.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (new URL(event.detail.xhr.responseURL).pathname !== new URL(event.detail.pathInfo.finalRequestPath, location).pathname) {
    event.detail.shouldSwap = false;
    location.reload();
  }
});

document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-autosubmit]");
  if (form) form.requestSubmit();
});
