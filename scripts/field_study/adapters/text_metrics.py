"""Metrics of text that are used as rewards: rouge-score, sacrebleu, jiwer, rapidfuzz. The score is between 0 and 1."""


def rouge(task, response, kind="rougeL"):
    """F-measure of rouge-score, with its stemmer."""
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer([kind], use_stemmer=True).score(task["answer"], response)[kind].fmeasure


def rouge_recall(task, response):
    """Recall of rougeL: how much of the answer stands in the response."""
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(["rougeL"], use_stemmer=True).score(task["answer"], response)["rougeL"].recall


def chrf(task, response):
    """ChrF of sacrebleu, of a sentence."""
    import sacrebleu

    return sacrebleu.sentence_chrf(response, [task["answer"]]).score / 100


def bleu(task, response):
    """BLEU of sacrebleu, of a sentence, with its default smoothing and effective order."""
    import sacrebleu

    return sacrebleu.sentence_bleu(response, [task["answer"]]).score / 100


def one_minus_wer(task, response):
    """1 minus jiwer's word error rate, not below 0."""
    import jiwer

    return max(0.0, 1 - jiwer.wer(task["answer"], response))


def one_minus_cer(task, response):
    """1 minus jiwer's character error rate, not below 0."""
    import jiwer

    return max(0.0, 1 - jiwer.cer(task["answer"], response))
