// Keeps the editor of a matrix alive while somebody types: row sums, shades, filling and normalising without a
// round trip. The server computes the same from the same inputs, and alone decides what is saved.
const form = document.querySelector("form[data-matrix]");
const rows = [...(form?.querySelectorAll("[data-row]") ?? [])];
const cellsOf = (row) => [...row.querySelectorAll("[data-cell]")];
const MILLIONTH = 1e6;

const number = (text) => {
  const said = text.trim().replace(",", ".");
  return said === "" ? 0 : Number(said);
};
const plain = (value) => String(Math.round(value * 1e9) / 1e9);

const judge = (row) => {
  const values = cellsOf(row).map((cell) => number(cell.value));
  cellsOf(row).forEach((cell, place) => {
    const right = values[place] >= 0 && values[place] <= 1;
    if (right) cell.removeAttribute("aria-invalid");
    else cell.setAttribute("aria-invalid", "true");
    cell.parentElement.className = `heat-${right ? Math.round(10 * values[place]) : 0}`;
  });
  const total = values.reduce((sum, value) => sum + value, 0);
  const off = total - 1;
  let said = "";
  if (!Number.isFinite(total)) said = "Write numbers from 0 to 1.";
  else if (Math.abs(off) > 1e-9) {
    said = `The row sums to ${plain(total)} instead of 1: ${off < 0 ? `${plain(-off)} is missing` : `${plain(off)} too much`}.`;
  }
  row.querySelector("[data-sum]").textContent = Number.isFinite(total) ? plain(total) : "–";
  const message = row.querySelector("[data-lacking]");
  if (message.textContent !== said) message.textContent = said;
};

// Whole millionths, so that rows sum to exactly 1; what rounding leaves goes to the largest.
const put = (row, millionths) => {
  cellsOf(row).forEach((cell, place) => { cell.value = plain(millionths[place] / MILLIONTH); });
  judge(row);
};

const normalise = (row) => {
  const values = cellsOf(row).map((cell) => number(cell.value));
  const total = values.reduce((sum, value) => sum + value, 0);
  if (!(total > 0) || values.some((value) => !(value >= 0))) return;
  const shares = values.map((value) => Math.floor(MILLIONTH * value / total + 1e-6));
  shares[shares.indexOf(Math.max(...shares))] += MILLIONTH - shares.reduce((sum, share) => sum + share, 0);
  put(row, shares);
};

const fill = () => {
  const keep = number(form.querySelector("[data-diagonal]").value);
  const groups = rows.map((row) => row.querySelector("[data-group]").value.trim());
  rows.forEach((row, i) => {
    const others = groups.filter((group, j) => group && j !== i && group === groups[i]).length;
    const share = others ? Math.floor(MILLIONTH * (1 - keep) / others + 1e-6) : 0;
    put(row, rows.map((_, j) => {
      if (i === j) return MILLIONTH - share * others;
      return groups[i] && groups[i] === groups[j] ? share : 0;
    }));
  });
};

const told = () => form.dispatchEvent(new Event("change", { bubbles: true }));

form?.addEventListener("input", (event) => {
  const row = event.target.closest("[data-row]");
  if (event.target.matches("[data-cell]")) judge(row);
  if (event.target.matches("[data-diagonal]")) {
    form.querySelector("[data-diagonal-said]").textContent = event.target.value;
    fill();
  }
});

form?.addEventListener("click", (event) => {
  const button = event.target.closest("[data-fill], [data-normalise]");
  if (!button) return;
  event.preventDefault();
  if (button.matches("[data-fill]")) fill();
  else if (button.dataset.normalise) normalise(rows[Number(button.dataset.normalise)]);
  else rows.forEach(normalise);
  told();
});
