r"""Where the answer stands in a response, and answers in words."""
# fmt: off
# ruff: noqa: E501 -- one spelling after another reads better on a line

from random import Random

from case_families.registry import Row, family, fill_all


def pair(random: Random) -> dict[str, object]:
    """An answer, a wrong one, and numbers that come up on the way."""
    one, other = random.randint(6, 40), random.randint(6, 40)
    total = one + other
    return {"a": one, "b": other, "t": total, "w": total + random.choice([-4, -3, 3, 5]), "n": f"{total}"}


@family("boxes", wraps=False)
def boxes(random: Random) -> Row:
    values = pair(random)
    right = fill_all([r"\boxed{@t}", r"$\boxed{@t}$", r"We get \[ \boxed{ @t } \] as required.", r"\fbox{@t}", r"\boxed{x=@t}", r"\boxed{\text{@t apples}}", r"First \boxed{@w}. No wait, that was wrong: \boxed{@t}", r"Thus the sum is $\boxed{@a+@b=@t}$.", r"\boxed{\mathbf{@t}}", r"\(\boxed{@t}\)", r"$$\boxed{@t}$$ So we are done after @a steps.", r"Answer: $\boxed{@t}$ (since @a + @b = @t).", r"\boxed{@t} \quad \blacksquare", r"The answer is \boxed{\frac{@t}{1}}.", r"**\boxed{@t}**", r"\boxed{{@t}}", r"\boxed{\, @t \,}", r"$\boxed{@t}$" + "\n\nNote that @a < @b + 100."], **values)
    wrong = fill_all([r"\boxed{@w}", r"The sum is @t, so \boxed{@w}", r"\boxed{@t}. Actually no: \boxed{@w}", r"\boxed{}", r"\boxed{@t \text{ or } @w}", r"\boxed{@t} or \boxed{@w}", r"<think>\boxed{@t}</think>\boxed{@w}", r"\boxed{@t,@w}", r"\boxed{-@t}", r"\boxed{@a}, because @a+@b=@t"], **values)
    return Row(str(values["t"]), right, wrong)


@family("marked-lines", wraps=False)
def marked_lines(random: Random) -> Row:
    values = pair(random)
    right = fill_all(["@a + @b = @t\n#### @t", "Answer: @t", "**Answer:** @t", "Final answer: @t", "The final answer is @t.", "ANSWER: @t", "The answer is **@t**.", "### Answer\n@t", "**Final Answer**\n\n@t", "Final Answer:\n\n$$@t$$", "<answer>@t</answer>", "<answer> The total is @t </answer>", "We add @a and @b.\n\nAnswer = @t", "The correct answer is: @t", "So the final answer is: **@t**", "#### **@t**", "**#### @t**", "####@t.", "> Answer: @t", "- **Answer**: @t", "Result: @t", '{"answer": @t}', '{"reasoning": "@a plus @b", "answer": "@t"}', "The answer: @t", "ans = @t", "Therefore, the answer would be @t", "I get @t as the answer.", "My final answer is @t", "### Final Answer: @t", "Answer\n\n@t", "The answer, then, is @t.", "The answer equals @t.", "The answer comes out to be @t."], **values)
    wrong = fill_all(["@a + @b = @t\n#### @w", "Answer: @w", "Final answer: @w (not @t)", "The answer is not @t.", "<answer>@w</answer> since @a+@b=@t", "**Final Answer**\n\n@w", "The answer is either @t or @w.", '{"answer": @w}', '{"guess": @t, "answer": @w}', "#### @t or @w", "The answer is @t or maybe @w", "Answer: between @a and @t", "The answer is more than @t", "I get @w as the answer, not @t."], **values)
    return Row(str(values["t"]), right, wrong)


@family("last-sentence", wraps=False)
def last_sentence(random: Random) -> Row:
    values = pair(random)
    right = fill_all(["We compute @a+@b. Therefore x equals @t.", "There are @a red and @b blue ones, so there are @t in total.", "Adding @a and @b gives @t.", "Thus the number of ways is @t.", "@a + @b = @t", "Hence, $x = @t$.", "So Tom has @t apples left.", "We find that the sum of @a and @b is @t.", "Therefore, there are a total of @t marbles.", "It follows that $n=@t$.", r"\begin{align*} x &= @a+@b \\ &= @t \end{align*}", r"\[ x = @a + @b = @t \]", "We conclude that the value is @t, as claimed.", "**@t**", "Step 1: take @a.\nStep 2: add @b.\nThe total is @t.", "In total: @t", "That makes @t apples altogether.", "`@t`", "```\n@t\n```", "So the sum is\n\n@t", "x = @t.", "Consequently the required number equals $@t$.", "The value of $x$ is @t.", "@a+@b is @t, so the box holds @t."], **values)
    wrong = fill_all(["We compute @a+@b. Therefore x equals @w.", "Adding @a and @b gives @w.", "@a + @b = @w", "There are @t things and so the result is @w.", "Therefore it is @w and not @t.", "It could be @t or @w.", "Perhaps @t, perhaps @w.", "I am not sure; @t?? or @w", "Between @a and @t.", "I do not know.", "@t is wrong.", "x = @t = @w", "At least @t.", "The sum is not @t."], **values)
    return Row(str(values["t"]), right, wrong)


@family("other-languages", wraps=False)
def other_languages(random: Random) -> Row:
    values = pair(random)
    right = fill_all(["La respuesta es @t.", "La respuesta final es: @t", "Die Antwort ist @t.", "Antwort: @t", "Die Lösung ist @t.", "La réponse est @t.", "Réponse : @t", "答案是@t。", "答案：@t", "所以答案为@t", "Ответ: @t", "Ответ: @t.", "La risposta è @t.", "Risposta: @t", "A resposta é @t.", "Resposta: @t", "答えは@tです。", "정답은 @t입니다.", "因此，总数是@t。", "Het antwoord is @t.", "Odpowiedź: @t", "Cevap: @t", "جواب: @t", "Por lo tanto, el total es @t.", "Also ist das Ergebnis @t."], **values)
    wrong = fill_all(["La respuesta es @w.", "Antwort: @w", "Die Antwort ist @w, nicht @t.", "La réponse est @w.", "答案是@w。", "Ответ: @w", "La risposta è @t o @w.", "Die Antwort ist nicht @t.", "答案不是@t。", "La respuesta es @t o @w.", "Die Antwort ist @t oder @w.", "答案是@t或@w", "正确答案不是@t，而是@w。"], **values)
    return Row(str(values["t"]), right, wrong)


@family("hedges", wraps=False)
def hedges(random: Random) -> Row:
    values = pair(random)
    right = fill_all(["I first thought @w, but the answer is @t.", "The answer is @t (and certainly not @w).", "Not @w. The answer is @t.", "Initially I had @w; correcting, the final answer is @t.", "The answer is @t, not @w.", "Checking @w: it fails. Hence @t.", "So it must be @t, since @w is too large."], **values)
    wrong = fill_all(["@t or @w", "either @t or @w", "maybe @t, maybe @w", "I think it is @t, but it could be @w.", "Possible answers: @t, @w", "@t / @w", "The answer is @t and also @w.", "One of @t and @w", "@t? @w?", "@t, or possibly @w", "The answer is @t. On second thought, it is @w.", "The answer is @t. Wait, I made a mistake. The answer is @w.", "It is neither @t nor @w.", "Option 1: @t. Option 2: @w.", "The answer is @t or @w or @a", "Answers: @t and @w", "@t @w", "not @t", "anything but @t", "The answer cannot be @t."], **values)
    return Row(str(values["t"]), right, wrong)


@family("value-listing", wraps=False)
def value_listing(random: Random) -> Row:
    value = random.randint(5, 60)
    values = {"v": value, "l": ", ".join(str(value + step) for step in range(-3, 4)), "m": " ".join(str(value + step) for step in range(-3, 1)), "n": "\n".join(str(value + step) for step in range(-2, 1)), "o": " or ".join(str(value + step) for step in range(-2, 1)), "x": value + 2 }
    right = fill_all(["@v", r"\boxed{@v}", "The candidates were @l. Only @v works, so the answer is @v."], **values)
    wrong = fill_all(["@l", "@m", "@n", "@o", r"\boxed{@l}", r"\{@l\}", "The answer is one of @l.", "The answer is in [@v, @x]", "The possible answers are @l.", "#### @l", "@v..@x", "@v-@x", r"@v \text{ to } @x", "@l; final: none"], **values)
    return Row(str(value), right, wrong)


@family("yes-no", wraps=False)
def yes_no(random: Random) -> Row:
    yes, no = random.choice([("Yes", "No"), ("No", "Yes")])
    other = "true" if yes == "Yes" else "false"
    opposite = "false" if yes == "Yes" else "true"
    values = {"y": yes, "n": no, "l": yes.lower(), "m": no.lower(), "o": other, "f": opposite}
    right = fill_all(["@y", "@l", "@y.", r"\text{@y}", r"\boxed{\text{@y}}", "**@y**", "@y, because it follows from the lemma.", "The answer is @l.", "@o", r"$\text{@l}$", "Answer: @y", r"\textbf{@y}", r"\boxed{@y}", r"\mathrm{@y}"], **values)
    wrong = fill_all(["@n", "@m", r"\boxed{\text{@n}}", "The answer is @m.", "maybe", "@y and @n", "@l or @m", "not @l", "@f", "It depends.", "@n, because it follows from the lemma.", "0"], **values)
    return Row(yes, right, wrong)


@family("choice-letter", wraps=False)
def choice_letter(random: Random) -> Row:
    letter, other = random.sample("ABCDE", 2)
    values = {"c": letter, "x": other, "l": letter.lower()}
    right = fill_all(["@c", "(@c)", "@c.", r"\boxed{@c}", r"\textbf{(@c)}", "The answer is @c.", "The correct option is (@c).", "Option @c", "Answer: @c", r"\boxed{\text{(@c)}}", "**@c**", r"$\textbf{(@c)}\ 12$", "@c) 12", "Choice @c is correct.", r"\mathbf{@c}", "The answer is option @c because the others fail.", "(@c) is correct", "I choose @c", r"\boxed{\textbf{@c}}", "@c: the third"], **values)
    wrong = fill_all(["@x", "(@x)", r"\boxed{@x}", "The answer is @x.", "@c or @x", "@c, @x", "Both @c and @x", "not @c", "@x, not @c", r"\boxed{@c} or \boxed{@x}", "none of these", "The answer is @x because @c is false."], **values)
    return Row(random.choice([letter, f"({letter})", f"\\text{{({letter})}}"]), right, wrong)


@family("choice-with-value", wraps=False)
def choice_with_value(random: Random) -> Row:
    letter, other = random.sample("ABCDE", 2)
    value = random.randint(4, 60)
    values = {"c": letter, "x": other, "v": value, "w": value + 3}
    right = fill_all(["@c", "(@c)", "@v", "(@c) @v", "@c. @v", r"\boxed{@c}", r"\boxed{@v}", r"\textbf{(@c)}\ @v", "The answer is (@c) @v.", "@c: @v"], **values)
    wrong = fill_all(["@x", "@w", "(@x) @v", "(@x)", "(@x) @w", r"\boxed{@w}", "@c or @x", "-@v"], **values)
    return Row(f"({letter}) {value}", right, wrong)


@family("names", wraps=False)
def names(random: Random) -> Row:
    one, other = random.sample(["Alice", "Boris", "Petya", "Vasya", "Carol", "Dmitri", "Ellen", "Kolya"], 2)
    values = {"a": one, "b": other, "l": one.lower()}
    right = fill_all(["@a", "@a wins.", r"\text{@a}", "@a has a winning strategy.", "The winner is @a.", r"\boxed{\text{@a}}", "@l", "**@a**", "It is @a.", "The answer is @a.", "@a will win the game.", r"\text{@a wins}"], **values)
    wrong = fill_all(["@b", "@b wins.", r"\text{@b}", "@a or @b", "not @a", "@b beats @a.", "Both @a and @b", "neither", "The winner is @b, not @a."], **values)
    return Row(random.choice([one, f"{one} wins", f"{one} will win."]), right, wrong)


@family("shape-words", wraps=False)
def shape_words(random: Random) -> Row:
    one, other = random.sample(["an ellipse", "a hyperbola", "a parabola", "a circle", "a straight line", "a rhombus", "a trapezoid"], 2)
    bare, bad = one.split(" ", 1)[1], other.split(" ", 1)[1]
    values = {"a": one, "w": bare, "b": other, "x": bad, "C": bare.capitalize()}
    right = fill_all(["@w", "@a", r"\text{@w}", "The locus is @a.", r"\text{@C}", "It is @a.", "the @w", r"\boxed{\text{@a}}", "@C.", "**@w**"], **values)
    wrong = fill_all(["@x", "@b", r"\text{@x}", "not @a", "@a or @b", "@w and @x", "The locus is @b.", "It is not @a."], **values)
    return Row(random.choice([bare, one, f"\\text{{{bare}}}"]), right, wrong)


@family("changed-mind", wraps=False)
def changed_mind(random: Random) -> Row:
    values = pair(random)
    right = fill_all(["The answer is @w. Wait, I forgot to carry. The answer is @t.", r"\boxed{@w} Hmm, recheck. \boxed{@t}", "#### @w\nCorrection:\n#### @t", "<think>So \\boxed{@w}? Let me see.</think>\nThe sum is @t.", "Answer: @w\n\nRechecking...\n\nAnswer: @t", "I said @w before, but that is wrong; the right answer is @t."], **values)
    wrong = fill_all(["The answer is @t. Wait, I forgot to carry. The answer is @w.", r"\boxed{@t} Hmm, recheck. \boxed{@w}", "#### @t\nCorrection:\n#### @w", "<think>So \\boxed{@t}.</think>\nThe sum is @w.", "Answer: @t\n\nRechecking...\n\nAnswer: @w", "I said @t before, but that is wrong; the right answer is @w.", r"\boxed{@t} is what many would say, but the final answer is @w."], **values)
    return Row(str(values["t"]), right, wrong)


@family("gold-is-a-solution", wraps=False)
def gold_is_a_solution(random: Random) -> Row:
    values = pair(random)
    gold = random.choice(["Adding, we get @a + @b = \\boxed{@t}.", "Adding @a and @b gives @t.\n#### @t", "$@t$", "\\(@t\\)", "$$@t$$", "x = @t", "@t.", "The answer is \\boxed{@t}." ])
    right = fill_all(["@t", r"\boxed{@t}", "$x=@t$", "The answer is @t.", "@a+@b=@t", r"\(@t\)"], **values)
    wrong = fill_all(["@w", "@a", "@b", r"\boxed{@a}", "The answer is @w.", "-@t"], **values)
    return Row(fill_all([gold], **values)[0], right, wrong)
