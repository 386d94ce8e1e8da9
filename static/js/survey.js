// Randomizes the answers of a survey on the respondent's own device and sends only what came out of it.
//
// The probabilities are whole numbers, agreed with the server by a hash of all of them: the true answer has the
// weight `true`, each other one the weight `other`. Randomness comes from the operating system (getRandomValues);
// words that cannot be shared out equally are drawn again. The inputs of the page stand in no form and are never
// sent; they are cleared before the request is made.
//
// The randomized answer is kept in this browser: whoever answers again sends the same one, because the average of
// many randomized answers would give the true one away.

export const PROTOCOL = "k-rr/1";
const WORDS = 2 ** 53;

// A whole number from 0 to total − 1, every one exactly equally likely.
export const below = (total) => {
  const drawn = new Uint32Array(2);
  const fair = WORDS - (WORDS % total);
  for (;;) {
    crypto.getRandomValues(drawn);
    const word = (drawn[0] & 0x1fffff) * 2 ** 32 + drawn[1];
    if (word < fair) return word % total;
  }
};

export const totalOf = (design) => design.true + design.other * (design.categories - 1);

// What a word below the total turns the true answer into.
export const reported = (design, truth, word) => {
  if (word < design.true) return truth;
  const place = Math.floor((word - design.true) / design.other);
  return place < truth ? place : place + 1;
};

export const randomized = (design, truth) => reported(design, truth, below(totalOf(design)));

const hex = async (text) => {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
};

// The hash of exactly those probabilities that are used here; the server refuses any other.
export const fingerprint = (survey, designs) => hex(
  [PROTOCOL, survey, ...designs.map((one) => `${one.true}/${one.other}/${one.categories}`)].join("\n"),
);

export const payloadOf = (parameters, codes) => JSON.stringify({ protocol: PROTOCOL, parameters, codes });

const kept = {
  read: (key) => {
    try { return JSON.parse(localStorage.getItem(key)); } catch { return null; }
  },
  write: (key, value) => {
    try { localStorage.setItem(key, JSON.stringify(value)); } catch { /* a browser that keeps nothing */ }
  },
};

const start = async (root) => {
  const spec = JSON.parse(root.dataset.survey);
  const part = (name) => root.querySelector(`[data-${name}]`);
  const questions = [...root.querySelectorAll("[data-question]")];
  const say = (text) => { part("message").textContent = text; part("message").hidden = !text; };
  const stop = (text) => { say(text); part("questions").hidden = true; };

  if (!window.isSecureContext || !crypto.subtle) {
    stop("This page was not loaded over a secure connection, so its script could have been changed on the way. Open it with https.");
    return;
  }
  const token = location.hash.slice(1);
  if (spec.invited && !token) {
    stop("This survey is for invited people. Open the personal link you were given, as a whole.");
    return;
  }
  const place = `survey ${spec.survey} ${(await hex(token)).slice(0, 16)}`;

  const answersOf = (codes) => codes.map((code, place_) => {
    const labels = [...questions[place_].querySelectorAll("[data-label]")];
    return labels[code].textContent.trim();
  });

  const show = (memo) => {
    part("questions").hidden = true;
    part("sent").hidden = false;
    part("done").hidden = !memo.sent;
    part("kept").hidden = memo.sent;
    part("again").hidden = memo.sent; // an answer that arrived counts once
    const list = part("codes");
    list.replaceChildren(...answersOf(memo.codes).map((label) => {
      const line = document.createElement("li");
      line.textContent = label;
      return line;
    }));
  };

  const send = async (memo) => {
    say("");
    const headers = { "Content-Type": "application/json" };
    if (token) headers.Invitation = token;
    try {
      const body = payloadOf(memo.parameters, memo.codes);
      const answer = await fetch(spec.url, { method: "POST", headers, body, credentials: "omit", cache: "no-store" });
      if (answer.status === 201) memo.sent = true;
      else say((await answer.json()).reason);
    } catch {
      say("The server could not be reached. Nothing is lost: the same randomized answer is sent when you try again.");
    }
    kept.write(place, memo);
    show(memo);
  };

  const answer = async () => {
    const truths = questions.map((one) => [...one.querySelectorAll("input")].findIndex((input) => input.checked));
    const missing = truths.indexOf(-1);
    if (missing >= 0) {
      say("Answer every question first.");
      questions[missing].querySelector("input").focus();
      return;
    }
    const parameters = await fingerprint(spec.survey, spec.questions);
    if (parameters !== spec.parameters) {
      stop("The probabilities on this page are not those of the survey. Nothing was sent.");
      return;
    }
    const memo = kept.read(place) ?? { parameters, codes: spec.questions.map((one, n) => randomized(one, truths[n])) };
    kept.write(place, memo);
    questions.forEach((one) => one.querySelectorAll("input").forEach((input) => { input.checked = false; }));
    await send(memo);
  };

  const memo = kept.read(place);
  if (memo) show(memo);
  part("answer").addEventListener("click", answer);
  part("again").addEventListener("click", () => send(kept.read(place)));
  root.dataset.ready = "yes";
};

const page = document.querySelector("[data-survey]");
if (page) start(page);
