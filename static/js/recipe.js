// Reads a recipe file into the text field, so that it is looked at before it is sent and never uploaded.
document.querySelectorAll("input[type=file][data-into]").forEach((input) => {
  input.addEventListener("change", async () => {
    const target = document.getElementById(input.dataset.into);
    if (input.files[0] && target) target.value = await input.files[0].text();
  });
});
