// Runs before the first paint: says that scripts work. The theme itself comes from the server (a cookie),
// so nothing flashes; the switch below only saves a page load.
document.documentElement.classList.add("js");

document.addEventListener("submit", (event) => {
  const form = event.target.closest("[data-theme-form]");
  if (!form) return;
  event.preventDefault();
  const root = document.documentElement;
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : window.matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `theme=${root.dataset.theme}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
  document.dispatchEvent(new CustomEvent("theme-changed"));
});

window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  document.dispatchEvent(new CustomEvent("theme-changed"));
});
