// Comfort for the editor of hierarchies: ranges with Shift, Ctrl+Z takes back, ticks of other levels go.
// Without this file every button is a form that is sent.
let last = null;

const draft = () => document.getElementById("draft");
const boxes = () => [...draft().querySelectorAll("input[name=pick]")];
const level = (box) => box.value.split("-")[0];

document.addEventListener("click", (event) => {
  const box = event.target.closest("#draft input[name=pick]");
  if (!box) return;
  const same = boxes().filter((one) => level(one) === level(box));
  boxes().forEach((one) => { if (level(one) !== level(box)) one.checked = false; });
  if (event.shiftKey && last && same.includes(last)) {
    const [from, to] = [same.indexOf(last), same.indexOf(box)].sort((a, b) => a - b);
    same.slice(from, to + 1).forEach((one) => { one.checked = box.checked; });
  }
  last = box;
});

document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key !== "z" || event.target.matches("input:not([type=checkbox]), textarea")) return;
  const undo = draft().querySelector("[data-undo]");
  if (!undo) return;
  event.preventDefault();
  undo.click();
});
