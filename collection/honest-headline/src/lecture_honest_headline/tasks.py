"""Tasks: an article and how a headline is made from it. The verifier makes the article anew."""

from lecture_honest_headline.articles import article_of

ASK = """\
Write the headline of this report. The news is what happened last.

{text}

Take the sentence of the news, without its date, and leave words out; change nothing else. You may leave out: a, the,
its, all before plans, new, old, smaller, after all; a place ("of Harlow", "in Harlow"), a time ("after 5 years"), a
price ("for 5 million euros"), a total ("of its 90") and what a licence is for ("for the mill"); each of them whole.
No other word may be left out. Write at most {limit} words, without a full stop. Answer with the headline alone."""


def make_task(split: str, seed: int, index: int) -> dict:
    """Task ``index`` of ``split``: the same for the same arguments."""
    article = article_of(split, seed, index)
    return {
        "id": f"{article.level}-{split}-{seed}-{index}",
        "prompt": ASK.format(text=article.text, limit=article.limit),
        "info": {"split": split, "seed": seed, "index": index},
        "tags": [article.level],
        "split": split,
    }
