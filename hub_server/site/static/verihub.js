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
