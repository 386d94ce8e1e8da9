// Uploads in pieces that survive a reload, a lost network and a closed laptop (the tus protocol).
// Without this file the same form posts the file in one request.
const CHUNK = 8 * 1024 * 1024;
const SPACE = "\u00a0";

// As the server's pages write numbers: a no-break space before the unit.
const measured = (value, unit) => `${value}${SPACE}${unit}`;

const bytes = (count) => {
  let value = count;
  for (const unit of ["B", "kB", "MB", "GB"]) {
    if (value < 999.5) return measured(value.toFixed(unit === "B" || value >= 100 ? 0 : 1), unit);
    value /= 1000;
  }
  return measured(value.toFixed(1), "TB");
};

const time = (seconds) => {
  if (seconds < 60) return measured(Math.max(1, Math.round(seconds)), "s");
  if (seconds < 3600) return measured(Math.round(seconds / 60), "min");
  return `${measured(Math.floor(seconds / 3600), "h")} ${measured(Math.round((seconds % 3600) / 60), "min")}`;
};

class Uploader {
  constructor(form) {
    this.form = form;
    this.input = form.querySelector("input[type=file]");
    this.zone = form.querySelector("[data-dropzone]");
    this.panel = form.querySelector("[data-upload-panel]");
    this.parts = Object.fromEntries([...form.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]));
    this.limit = Number(form.dataset.limit);
    form.addEventListener("submit", (event) => { event.preventDefault(); this.start(this.input.files[0]); });
    this.input.addEventListener("change", () => this.chosen(this.input.files[0]));
    this.parts.cancel.addEventListener("click", () => this.cancel());
    window.addEventListener("online", () => this.resume());
    window.addEventListener("offline", () => this.say("The network is gone. The upload goes on by itself when it is back."));
    window.addEventListener("beforeunload", (event) => { if (this.running) event.preventDefault(); });
    this.drop();
  }

  drop() {
    for (const name of ["dragenter", "dragover"]) {
      this.zone.addEventListener(name, (event) => { event.preventDefault(); this.zone.classList.add("over"); });
    }
    for (const name of ["dragleave", "drop"]) this.zone.addEventListener(name, () => this.zone.classList.remove("over"));
    this.zone.addEventListener("drop", (event) => {
      event.preventDefault();
      if (this.running || !event.dataTransfer.files.length) return;
      this.input.files = event.dataTransfer.files;
      this.chosen(this.input.files[0]);
    });
  }

  chosen(file) {
    if (!file) return;
    this.parts.name.textContent = `${file.name} · ${bytes(file.size)}`;
    this.error(file.size > this.limit ? `This file has ${bytes(file.size)}; at most ${bytes(this.limit)} can be uploaded.` : file.size === 0 ? "This file is empty." : "");
  }

  async start(file) {
    if (!file) return this.error("Choose a file first.");
    if (file.size > this.limit || file.size === 0) return this.chosen(file);
    this.error("");
    this.panel.hidden = false;
    this.form.querySelector("button[type=submit], [data-start]").hidden = true;
    const dataset = this.form.dataset.dataset;
    this.upload = new tus.Upload(file, {
      endpoint: this.form.dataset.tusUrl,
      chunkSize: CHUNK,
      retryDelays: [0, 1000, 3000, 5000, 10000, 20000],
      headers: { "X-CSRFToken": this.form.querySelector("[name=csrfmiddlewaretoken]").value },
      metadata: { filename: file.name, dataset },
      fingerprint: async () => ["steward", dataset, file.name, file.size, file.lastModified].join("-"),
      removeFingerprintOnSuccess: true,
      onShouldRetry: (error) => this.worthTrying(error),
      onProgress: (sent, total) => this.progress(sent, total),
      onError: (error) => this.failed(error),
      onSuccess: () => this.done(),
    });
    const earlier = await this.upload.findPreviousUploads();
    if (earlier.length) {
      this.upload.resumeFromPreviousUpload(earlier[0]);
      this.say("Going on where the last attempt stopped.");
    }
    this.go();
  }

  go() {
    this.running = true;
    this.mark = null;
    this.upload.start();
  }

  progress(sent, total) {
    const now = performance.now();
    this.mark ??= { sent, now };
    this.parts.bar.value = (sent / total) * 100;
    this.parts.percent.textContent = measured(Math.floor((sent / total) * 100), "%");
    const elapsed = (now - this.mark.now) / 1000;
    const speed = elapsed > 0.5 ? (sent - this.mark.sent) / elapsed : 0;
    const left = speed > 0 ? ` · ${bytes(speed)}/s · ${time((total - sent) / speed)} left` : "";
    this.say(`${bytes(sent)} of ${bytes(total)}${left}`);
  }

  worthTrying(error) {
    const code = error.originalResponse?.getStatus() ?? 0;
    if (code !== 0 && code < 500 && code !== 409 && code !== 423) return false;
    this.mark = null;
    this.say("The connection is interrupted. Trying again …");
    return true;
  }

  failed(error) {
    this.running = false;
    const answer = error.originalResponse;
    if (!answer || answer.getStatus() === 0) {
      this.say("The network is gone. The upload goes on by itself when it is back.");
      this.waiting = true;
      return;
    }
    this.panel.hidden = true;
    this.form.querySelector("[data-start]").hidden = false;
    this.error(answer.getHeader("Content-Type")?.startsWith("text/plain") ? answer.getBody() : "The server refused the upload. Load the page again and retry.");
  }

  resume() {
    if (!this.waiting || !this.upload) return;
    this.waiting = false;
    this.say("The network is back.");
    this.go();
  }

  async cancel() {
    this.running = false;
    this.waiting = false;
    await this.upload?.abort(true).catch(() => undefined);
    location.reload();
  }

  done() {
    this.running = false;
    this.say("The file has arrived. Opening it …");
    location.assign(this.upload.url);
  }

  say(text) { this.parts.status.textContent = text; }

  error(text) {
    this.parts.error.textContent = text;
    this.parts.error.hidden = !text;
    this.input.setAttribute("aria-invalid", text ? "true" : "false");
  }
}

document.querySelectorAll("form[data-tus-url]").forEach((form) => new Uploader(form));
