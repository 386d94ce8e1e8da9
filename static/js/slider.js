// A logarithmic slider writes into the number beside it, and follows what is typed there.
// The number is what is sent; without this file there is only the number.
const beside = (input, selector) => input.closest(".log-slider")?.querySelector(selector);

document.addEventListener("input", (event) => {
  const slider = event.target;
  if (slider.matches("[data-log-slider]")) {
    const number = beside(slider, "input[type=number]");
    number.value = String(Number((10 ** Number(slider.value)).toPrecision(2)));
  } else if (slider.matches(".log-slider input[type=number]") && Number(slider.value) > 0) {
    beside(slider, "[data-log-slider]").value = String(Math.log10(Number(slider.value)));
  }
});
