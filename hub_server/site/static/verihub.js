// Comfort only: every page works without this file.

// Try it: judge without leaving the page. The server draws the vector; this only puts it in its place.
for (const place of document.querySelectorAll("[data-try]")) {
  const form = place.querySelector("form");
  const out = place.querySelector("[data-out]");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    out.classList.add("waiting");
    out.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(form.action, {
        method: "POST",
        body: new URLSearchParams(new FormData(form)),
        headers: { "X-Fragment": "verdict" },
      });
      if (!(answer.headers.get("content-type") || "").startsWith("text/html")) throw new Error("not a page");
      out.innerHTML = await answer.text();
    } catch {
      form.submit(); // the plain way says what went wrong
      return;
    }
    out.classList.remove("waiting");
    out.removeAttribute("aria-busy");
    button.disabled = false;
  });
  // Another task: show its prompt by loading the page for it, keeping what was typed.
  const select = form.querySelector("select[name=task_id]");
  const prompt = form.querySelector("[data-prompt]");
  if (select && prompt) {
    select.addEventListener("change", async () => {
      const address = new URL(form.action);
      address.searchParams.set("task_id", select.value);
      address.searchParams.set("split", form.elements.split.value);
      const answer = await fetch(address);
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.querySelector("[data-prompt]");
      if (fresh) prompt.textContent = fresh.textContent;
    });
  }
}

// Ctrl+Enter (or Cmd+Enter) in a text presses the button that judges or sends it; the button says so.
for (const button of document.querySelectorAll("[data-by-keys]")) {
  button.setAttribute("aria-keyshortcuts", "Control+Enter");
  button.title = "Ctrl+Enter";
  button.form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.target.tagName !== "TEXTAREA" || button.disabled) return;
    event.preventDefault();
    button.form.requestSubmit(button);
  });
}

// A button with a key: pressed by it anywhere but in a field, and without Ctrl, Alt or Cmd. The key stands on the button.
const keyed = new Map();
for (const button of document.querySelectorAll("button[data-key]")) {
  keyed.set(button.dataset.key, button);
  button.setAttribute("aria-keyshortcuts", button.dataset.key);
  const shown = document.createElement("kbd");
  shown.textContent = button.dataset.key;
  shown.setAttribute("aria-hidden", "true");
  button.append(" ", shown);
}
if (keyed.size) {
  document.addEventListener("keydown", (event) => {
    const button = keyed.get(event.key);
    if (!button || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    if (event.target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    event.preventDefault();
    button.click();
  });
}

// A chart is read at a step: by a slider, which arrow keys move, or by the pointer over the drawing. The same stands in its table.
for (const chart of document.querySelectorAll(".chart[data-steps]:not([data-steps=''])")) {
  const plot = chart.querySelector("svg.plot");
  const rows = [...chart.querySelectorAll("tr[data-step]")];
  const names = [...chart.querySelectorAll("thead th")].slice(1).map((head) => head.textContent);
  if (!plot || rows.length < 2) continue;
  const [start, end] = chart.dataset.steps.split(" ").map(Number);
  const reading = document.createElement("div");
  const slider = document.createElement("input");
  const output = document.createElement("span");
  reading.className = "reading";
  slider.type = "range";
  slider.min = 0;
  slider.max = rows.length - 1;
  slider.value = rows.length - 1;
  slider.setAttribute("aria-label", `${chart.querySelector("figcaption").firstChild.textContent.trim()}: read at a step`);
  reading.append(slider, output);
  chart.insertBefore(reading, chart.querySelector("details.values"));
  const mark = document.createElementNS("http://www.w3.org/2000/svg", "line");
  mark.setAttribute("class", "plot-base");
  mark.setAttribute("y1", "0");
  mark.setAttribute("y2", "100%");
  const read = () => {
    const cells = [...rows[slider.value].cells].map((cell) => cell.textContent.trim());
    const words = `step ${cells[0]}: ${cells.slice(1).map((value, place) => `${names[place]} ${value}`).join(", ")}`;
    output.textContent = words;
    slider.setAttribute("aria-valuetext", words);
    const at = `${(100 * (rows[slider.value].dataset.step - start)) / (end - start || 1)}%`;
    mark.setAttribute("x1", at);
    mark.setAttribute("x2", at);
  };
  slider.addEventListener("input", () => { plot.append(mark); read(); });
  plot.addEventListener("pointermove", (event) => {
    const box = plot.getBoundingClientRect();
    const step = start + ((end - start) * (event.clientX - box.left)) / box.width;
    const far = rows.map((row) => Math.abs(row.dataset.step - step));
    slider.value = far.indexOf(Math.min(...far));
    plot.append(mark);
    read();
  });
  read();
}

// Filters and order of a search act at once: the answer's list and counts take the place of those shown, under an address of its own.
for (const form of document.querySelectorAll("form[data-at-once]")) {
  const hideButtons = () => {
    for (const button of document.querySelectorAll("[data-without-script]")) button.hidden = true;
  };
  hideButtons();
  let newest = 0;
  const act = async (event) => {
    if (event.target.form !== form || event.target.type === "search") return;
    const { name, value, id } = event.target;
    const number = (newest += 1);
    const query = new URLSearchParams([...new FormData(form)].filter(([, typed]) => typed !== ""));
    const address = `${form.getAttribute("action")}?${query}`;
    try {
      const answer = await fetch(address, { headers: { Accept: "text/html" } });
      if (!answer.ok) throw new Error("no page");
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (number !== newest) return; // something else was chosen meanwhile
      for (const place of ["[data-found]", "form[data-at-once]", ".facetbox summary"]) {
        const fresh = page.querySelector(place);
        document.querySelector(place).replaceChildren(...fresh.childNodes);
      }
      document.title = page.title;
      history.pushState(null, "", address);
    } catch {
      form.submit();
      return;
    }
    hideButtons();
    const same = id ? document.getElementById(id) : [...form.elements].find((one) => one.name === name && one.value === value);
    if (same) same.focus();
    const said = document.querySelector("[data-said]") || document.body.appendChild(document.createElement("p"));
    said.dataset.said = "";
    said.className = "visually-hidden";
    said.setAttribute("role", "status");
    said.textContent = document.querySelector("[data-found] h1").textContent;
  };
  document.addEventListener("change", act);
  addEventListener("popstate", () => location.reload());
}

// Commands can be copied with one click.
if (navigator.clipboard) {
  for (const line of document.querySelectorAll(".pull")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(line.querySelector("code").textContent);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1600);
    });
    line.append(button);
  }
}

// The HTTP interface: try an operation. Without the browser's cookies: what is sent has the rights of the typed token alone.
const token = document.querySelector("[data-api-token]");
if (token) token.hidden = false;
for (const form of document.querySelectorAll("form[data-api]")) {
  const out = form.querySelector("[data-answer]");
  form.closest("[data-api-try]").hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const query = new URLSearchParams();
    let path = form.dataset.api;
    for (const input of form.querySelectorAll("[data-place]")) {
      if (input.dataset.place === "path") {
        if (/^\.{1,2}$/.test(input.value)) return say(out, "This value would lead to another address.");
        path = path.replace(new RegExp(`\\{${input.name}(:\\w+)?\\}`), () => encodeURIComponent(input.value));
      } else if (input.value) query.append(input.name, input.value);
    }
    const body = form.querySelector("[data-body]");
    const headers = body ? { "Content-Type": "application/json" } : {};
    const secret = token.querySelector("input").value.trim();
    if (secret) headers.Authorization = `Bearer ${secret}`;
    const address = path + (query.size ? `?${query}` : "");
    say(out, "Waiting for the answer…");
    try {
      const answer = await fetch(address, {
        method: form.dataset.method, headers, body: body ? body.value : undefined, credentials: "omit", cache: "no-store",
      });
      const kind = answer.headers.get("content-type") || "";
      const text = /json|text|xml/.test(kind) ? await answer.text() : `(${kind || "nothing"})`;
      say(out, `${answer.status} ${answer.statusText}`, shown(text, kind));
    } catch (error) {
      say(out, `Not sent: ${error.message}`);
    }
  });
}

function shown(text, kind) {
  let whole = text;
  try {
    if (/json/.test(kind) && !/ndjson/.test(kind)) whole = JSON.stringify(JSON.parse(text), null, 2);
  } catch { /* shown as it came */ }
  return whole.length > 20000 ? `${whole.slice(0, 20000)}\n…` : whole;
}

function say(place, line, text = "") {
  const said = document.createElement("p");
  said.textContent = line;
  place.replaceChildren(said);
  if (!text) return;
  const block = document.createElement("pre");
  block.tabIndex = 0;
  block.textContent = text;
  place.append(block);
}
