// Asks a security key: no page can without a script. The forms work without it wherever a code is typed instead.

for (const form of document.querySelectorAll("form[data-key]")) {
  const complaint = form.querySelector("[data-key-problem]");
  const complain = (text) => {
    complaint.textContent = text;
    complaint.hidden = !text;
  };
  const typed = () => (form.elements.code ? form.elements.code.value.trim() : "");
  const isNew = form.dataset.key === "create";
  let question = null; // what a new key is asked: fetched once a key that is there has answered

  const fetchQuestion = async (address, fields) => {
    const answer = await fetch(address, { method: "POST", body: new URLSearchParams(fields), headers: { accept: "application/json" } });
    const found = await answer.json();
    if (!answer.ok) throw new Error(found.detail || "The hub did not answer.");
    return found;
  };

  const askKnown = async (address) => {
    const ticket = form.elements.ticket ? form.elements.ticket.value : "";
    const asked = PublicKeyCredential.parseRequestOptionsFromJSON(await fetchQuestion(address, { ticket }));
    return JSON.stringify((await navigator.credentials.get({ publicKey: asked })).toJSON());
  };

  const askNew = async () => {
    const made = await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(question) });
    return JSON.stringify(made.toJSON());
  };

  // Browsers ask a second key only after a second click, and a person must know which of the two is meant.
  const prepareNew = async (button) => {
    const proves = form.dataset.prove && !typed();
    const key = proves ? await askKnown(form.dataset.prove) : "";
    question = await fetchQuestion(form.dataset.question, { code: typed(), key });
    if (proves) button.textContent = "Now the new key";
    return !proves;
  };

  form.addEventListener("submit", async (event) => {
    const button = event.submitter || form.querySelector("button");
    if (form.elements.key.value || "noKey" in button.dataset || (typed() && !isNew)) return; // nothing (more) to ask
    event.preventDefault();
    if (!window.PublicKeyCredential || !PublicKeyCredential.parseRequestOptionsFromJSON) {
      complain("This browser cannot use security keys here: it is too old, or the address of this page is not the hub's own.");
      return;
    }
    button.disabled = true;
    complain("");
    try {
      if (!isNew) form.elements.key.value = await askKnown(form.dataset.question);
      else if (question || (await prepareNew(button))) form.elements.key.value = await askNew();
    } catch (error) {
      const words = {
        NotAllowedError: "The key did not answer, or the question was cancelled. Try again.",
        InvalidStateError: "This key is registered already.",
        SecurityError: "This page is not at the hub's own address, so no key answers here.",
      };
      complain(words[error.name] || error.message);
    }
    button.disabled = false;
    if (form.elements.key.value) form.requestSubmit(button);
  });
}
