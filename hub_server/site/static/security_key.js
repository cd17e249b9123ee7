// Asks a security key: no page can without a script. The forms work without it wherever a code is typed instead.

for (const form of document.querySelectorAll("form[data-key]")) {
  const complaint = form.querySelector("[data-key-problem]");
  const complain = (text) => {
    complaint.textContent = text;
    complaint.hidden = !text;
  };

  const ask = async () => {
    const ticket = form.elements.ticket ? form.elements.ticket.value : "";
    const answer = await fetch(form.dataset.question, { method: "POST", body: new URLSearchParams({ ticket }), headers: { accept: "application/json" } });
    const question = await answer.json();
    if (!answer.ok) throw new Error(question.detail || "The hub did not answer.");
    const found = form.dataset.key === "create"
      ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(question) })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(question) });
    return JSON.stringify(found.toJSON());
  };

  form.addEventListener("submit", async (event) => {
    if (form.elements.code && form.elements.code.value.trim()) return; // a code is enough
    event.preventDefault();
    if (!window.PublicKeyCredential || !PublicKeyCredential.parseRequestOptionsFromJSON) {
      complain("This browser cannot use security keys here: it is too old, or the address of this page is not the hub's own.");
      return;
    }
    const button = form.querySelector("button");
    button.disabled = true;
    complain("");
    try {
      form.elements.key.value = await ask();
      form.submit();
    } catch (error) {
      const words = {
        NotAllowedError: "The key did not answer, or the question was cancelled. Try again.",
        InvalidStateError: "This key is registered already.",
        SecurityError: "This page is not at the hub's own address, so no key answers here.",
      };
      complain(words[error.name] || error.message);
      button.disabled = false;
    }
  });
}
