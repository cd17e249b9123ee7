"""Do the words around a value leave it as the answer? The same in gsm8k, calculator, change-making, math-answer.

The rule: an answer is stated. It is one value, not one of two; it is the value itself, not what it is near to, more than
or unlike; nothing denies it, supposes it or takes it back. What stands right before a value must introduce it ("is",
"makes", "sold", "Total:"), because there is no end of words that do not ("see page", "a multiple of", "circa"). Words
that only say how sure somebody is ("maybe 42", "I guess 42") leave one value: it is judged, and a wrong one earns nothing.
"""
# ruff: noqa: E501 -- word lists and patterns read better whole

import re

FAR = 300
"""Characters on either side that are read."""


def _any(words: str) -> str:
    return rf"(?:{'|'.join(words.split())})"


_STRUCK = re.compile(
    r"~~[^~\n]{1,200}~~|<(?:s|del|strike)>[^<\n]{1,200}</(?:s|del|strike)>|\\x?cancel\s*\{[^{}]{1,200}\}"
)
_ASSURANCE = re.compile(
    r"\b(?:i am|i['’]m) not (?:100 ?%|entirely|completely|totally) (?:sure|certain),? but\b|\b(?:there(?: is|['’]s) |i have |have )?(?:no|without (?:a|any)) doubts?\b(?: about (?:it|that))?"
    r"|\b(?:nothing|none) (?:but|other than)\b"
    r"|\blet me know if\b[^.!?\n]*|\bno more and no less\b|\bor so\b(?= (?:i|it|we|they|he|she)\b)",
    re.IGNORECASE,
)
_LINE_SIGNS = re.compile(r"(?:^|(?<=\n))[ \t]*(?:=+>|-+>)[ \t]*|(?<=\n)[ \t]*>[ \t]+(?=\S)")
"""An arrow that begins a line, and the sign of a quoted line in Markdown."""
_PARTS_NOT = re.compile(
    r"\b(?:number|amount|share)s? of [^.,;:=]{1,60}?\b(?:that|who|which)\b[^.,;:=]{0,60}?\bnot\b[^.,;:=]{1,40}?(?=\b(?:is|are|was|were)\b)",
    re.IGNORECASE,
)
"""What is counted by what it does not do: "the number of melons that are not ready is 21"."""
_ONLY = re.compile(r"\b(?:can(?:no|['’])t|cannot) be (?:anything|any number) (?:but|other than)\b", re.IGNORECASE)
_EXAMPLE = re.compile(r"\be\.\s?g\.", re.IGNORECASE)

_SENTENCE_ENDS = re.compile(r"[.!?][\"'”’)*]*(?:\s|$)|\n")
_CLAUSE_ENDS = re.compile(
    r"[,;:—–](?=\s|$)|\s-\s|\b(?:but|so|then|thus|hence|therefore|because|since|which|and|it['’]s|that['’]s)\b",
    re.IGNORECASE,
)

_LABEL = re.compile(r"([^:.\n]*):[\s$*_`\"'“(\[{\\]*$")
"""What stands before the colon of a value: "Ruled out: 42"."""
_OPENING = r"[\s$*_`\"'“”‘’(\[{£€#|+]*(?:\\(?:boxed|text|textbf|mathbf|mathrm|\(|\[)\s*\{?)*(?:\\?[\s$*_`({\[])*"
_VERBS = _any(
    "is are be was were been am has have had get getting got read obtain let's equal make made making give giving take took taking cost "
    "need owe own pay paid held hold kept keep left leave leaving spend spent sell sold buy bought won lost see saw order "
    "count guess say find calls found know receive yield reach contain eat ate drive drove run ran grew wrote becomes totaling"
)
_ADVERBS = _any(
    "therefore thus hence so ergo then now consequently accordingly finally overall altogether together exactly precisely "
    "only just simply still already actually really probably maybe perhaps possibly apparently surely certainly "
    "definitely clearly indeed again also namely total all both remaining other those these the a another each "
    "but rather instead yes okay ok sure well hmm wait no oops sorry correction easy answer result ans solution output sum usd worth year end day"
)
_TO = _any(
    "up equal come comes came amount amounts add adds adding added rise rises rose drop drops dropped fall falls grow grows "
    "equate equates out go goes increase increases decrease decreases simplifies evaluates sum sums total totals lead leads us "
    "equivalent reduces shrinks"
)
_WITH = r"(?:ends? up|ended up|left|leaves? (?:him|her|us|them|you|me)|walks? away|start(?:s|ed)?|goes home|remains?)"
_WHOLES = _any(
    "total sum group crowd team class result count answer score average value length width height weight price cost distance speed profit difference remainder quotient product"
)
_NO_VERB = _any(
    "less minus plus times versus as regardless besides towards upwards afterwards across squared cubed perhaps sections pages "
    "chapters digits numbers bounds multiples divisors supposed assumed multiplied divided raised excluded wished mentions "
    "mentioned uses used seeds says said tried guessed rhymes resembles approaches exceeds misses whereas unless this its"
)
_NOT_DONE = _any(
    "not never n't exceed avoid exclude miss approach near resemble multiply divide rhyme ignore like reject guess be add subtract"
)
"""What somebody can do with a number that is not the answer."""
_INTRODUCES = re.compile(
    rf"(?:^\s*[-*•]\s*|^|[:=→⇒∴👉—–|.…✅,;：]|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]|\([A-J]\)\W*|=>|->|\s-|\b(?:{_VERBS}|{_ADVERBS}|[a-z]+['’](?:s|re|d)|i\.?e\.?"
    rf"|{_TO} (?:to|at|by)|(?:brings?|brought) [^.;\n]{{1,40}} to|{_WITH} with|results? in|(?:arrive[sd]?|stands?|ends?|comes? in|comes? out) at"
    rf"|(?:comes?|works?) out as|sets? (?:her|him|us|them) back|comes? up with|calls? for|(?:short|differs?) by|(?:a|an|the|our|my|his|her|this|in|for a|grand)(?: [a-z-]+){{0,3}} {_WHOLES} of"
    rf"|(?:leaves?|left|gives|gave|making|gets?|got|costs?|makes?|takes?|took|shows?) (?:us|me|you|him|her|them|it)|will have|(?:looks?|seems?|sounds?|feels?) like|arrives? after|i make it|call it"
    rf"|(?:he|she|they|it) used?|(?!{_NO_VERB}\b|asked|looking|waiting|hoping|searching|based)[a-z]+(?:ed|ing) (?:for|on|up)|(?:can|will|must|(?:need|have|able|going)s? to|has to|had to|needed to) (?!{_NOT_DONE})[a-z]+"
    rf"|(?!{_NO_VERB}\b)[a-z]+(?:s|ed))\b)[,:]?{_OPENING}[-−]?$",
    re.IGNORECASE,
)
"""Right before a value: it is what is stated. Words in -s and -ed do as verbs ("sold", "needs", "planted")."""
_OTHER_THAN = re.compile(
    r"(?:\brhym(?:es?|ing) with|(?<!looks )(?<!look )(?<!sounds )(?<!feels )\blike|\bunlike|\b(?:similar|close) to"
    r"|\b(?:near|next to|far from|about|around|approximately|roughly|almost|nearly|below|above|under|over|(?<!adds )(?<!add )(?<!adding )(?<!added )(?<!sums )(?<!comes )(?<!works )up to|circa|approx\.|cf\.|not quite|shy of|short of)"
    r"|\bat (?:least|most)|\b(?:more|less|fewer|greater|higher|lower|larger|smaller|other|different|rather) than(?: or equal to)?"
    r"|\b(?:number|integer|prime|value|one) (?:before|after)|\binstead of|\b(?:all|any(?:thing| number)?|every(?:thing| number)?) (?:but|except)"
    r"|\b(?:twice|double|half of|(?:opposite|square|root|negative|reciprocal|inverse) of|squared?|multiples? of|such as|for (?:instance|example)|minus|negative))\s+[$\"'“(*_]*[-−]?$"
    r"|(?:[≠≈~<≥≤√¬]|(?<![=-])>|!=)\s*[$({]*\s*$|\\(?:neq?|approx|sqrt|not|lnot|neg|geq?|leq?|gt|lt)\s*[{(]*\s*$|(?:^|\banswer[\"']?\s*[:=])\s*(?:null|n/a|none(?=\s*[,}]))[^.\n]*$",
    re.IGNORECASE,
)
"""Right before a value: it is not the value that is stated."""
_DENIED = re.compile(
    r"\b(?:not|never|nobody|no one|no cigar|refuse|doubt|unlikely|neither|nor|cannot|nope|disagree|mistake|wrong|false|exclude[ds]?|ruled? out"
    r"|impossible|suppose|supposing|assume|assuming|imagine|pretend|if|whether|unless|(?:might|could) be(?=\W*$)|why would|would it|is it|was it"
    r"|could it|who said|whoever|(?:my|your) favou?rite|lucky|password|confidence|chance|misprint|mistaken|guess:|(?:other|second|old|previous|earlier|wrong|incorrect) (?:answer|option|value)|hypothesis|conjecture|claim:|wishful|random|bound|no way|no means|no case|definitely no|remains to be|argument|say it|had it|were it|somebody|withdrawn|let\s+[a-z]\s*=)(?!\w)|\b\w+n['’]t\b",
    re.IGNORECASE,
)
"""In the clause of the value, before it."""
_IS_ANSWER = (
    r"(?:the|your|my|our|their|his|her|its|how|what (?:he|she|it|they|we|you|i|is|are|remains?|\w+ (?:has|had|needs?|gets?|pays?))|left|right|correct|enough|needed"
    r"|free|remaining|still|in (?:all|total)|exactly|indeed|it\b|taken|sold|now|all|confirmed|verified|certain)\b"
)
_NEAR_IT = re.compile(
    r"(?:\s*,)?\s*(?:[a-z]+\s+)?(?:-?ish\b|or so\b|or thereabouts\b|or (?:more|less|fewer)\b|more or less\b|give or take\b"
    r"|at (?:the very )?(?:least|most)\b|and (?:up|over|above|a bit|a half|change|some|more)\b|roughly\b|approximately\b|squared\b|cubed\b|(?:plus|minus)\s+\S|times\s+(?!(?:an?|in|on|to|per|each|every|for|this|that week)\b)\S|less\s+(?:than\b|\$?\d))"
    r"|\s*(?:\+(?:\s|$)|²|³|\^(?!\s*\{?\s*(?:\\circ|1\b|\\(?:mathrm|text|rm)\b|th\b))|[-–](?:something|odd|ish)\b|k\b|e\d|thousand|million|billion|dozens?\b|hundred|mod\b|backwards|reversed|bn\b|trillion|doubled|halved|tripled|past (?:noon|midnight)|below zero|written|rounded|upside|to the power|[(\[<]\W*(?:citation|delete)|among\b"
    r"|in (?:base|hex|binary|octal|reverse)\b|/s\b|[(\[](?:hex|wrong|incorrect|false|kidding|joking|not)\b)",
    re.IGNORECASE,
)
"""Right behind a value: it is only near to the answer, a bound, or another value."""
_DENIED_BEHIND = re.compile(
    rf"[\s$*_)\"'”,]*(?:(?:is|was|would be|seems?|looks)\s+(?!{_IS_ANSWER})|(?:are|were)\s+(?:[a-z]+\s+)?(?:not|wrong|incorrect|false|too|impossible|off|excluded|both)\b|percent (?:chance|sure|certain)|which (?:is|was) (?:not|wrong|incorrect|false|too|off|impossible)"
    r"|(?:is|was) the (?:number|count|total) of [^.\n]{0,60}\bbut\b|(?:→|->|=>|:)\s*(?:wrong|false|no)\b"
    r"|(?:does|do|did|can|cannot|could|would|will|should|must not|may|might|is|was|are)n['’]t\b|(?:does|do|did|can|cannot|could|would|should|may|might)\b|(?:won|ain)['’]t\b|(?:tops|never|must be|has to|have to|gives?|leads?|has|fails?|contradicts?|violates?|breaks|ignores|misses|rhymes)\b"
    r"|(?:on a|if|when|unless|depending|in case)\b)"
    r"|[\s$*_)\"'”]*(?:\?(?!\s*(?:yes|right|correct|indeed|let me|check))|[❌✗✘✖🚫])",
    re.IGNORECASE,
)
_RETRACTED = re.compile(
    r"\b(?:kidding|joking)\b|\b(?:scratch|strike) that\b|\bnever ?mind\b|\bon (?:second thoughts?|reflection)\b|\bno,? wait\b|\bwait,? no\b"
    r"|\bi (?:was|am) (?:wrong|mistaken)\b|\bthat(?:['’]s| is| was) (?:wrong|incorrect|false|a lie)\b|\b(?:take|took) (?:it|that) back\b|\bi lied\b"
    r"|\b(?:previous|last|above|preceding) (?:sentence|statement|line|answer|claim)(?: above)? (?:is|was) (?:false|wrong|not|a lie|incorrect)\b",
    re.IGNORECASE,
)
"""Behind a value, whether it is marked or not: nothing but taking back."""
_TAKEN_BACK = re.compile(
    r"\bno, (?:it|that)\b|[—–-]\s*not\b|^[\s.…!]*(?:(?:wrong|false|incorrect)\b(?!\s+[a-z]+s\b)|(?:no|nope|not|hardly)\b)|\bedit:|\bor (?:is|was) (?:it|that)\b|\bor not\b"
    r"|\bthat(?:['’]s| is| was) not (?:it|right|true|the)\b|\bmy mistake\b|\bhad to lie\b|\bwould be a lie\b|\bi meant\b"
    r"|\bactually,? (?:no\b|not\b|it\b|that\b|the\b|[-$]?\d)|\bor more (?:precisely|exactly)\b|\b(?:else|otherwise|unless|alternatively|in which case|if not)\b[^.\n]{0,60}\d"
    r"|\b(?:check|it|test)\W{1,3}(?:fails|failed)\b|\bthe check (?:would )?fails?\b|\b(?:does|do) not hold\b|\bi don['’]t think so\b|\bhardly\b|\bwho knows\b"
    r"|\bbut (?:it|that|the|i|maybe|perhaps|really|in fact|don|no\b)|\b(?:to|of) think(?:ing)?\b|\bjust a number\b|\band so (?:there (?:are|is) )?\d"
    r"|\b(?:is|are) (?:another|the other)\b|[,;—–-]\s*(?:and then|then|and later|later|now|no)\s+[$\"'(]*\d|\bmy second\b|\b(?:ignore|disregard|withdrawn|disproof|lol)\b|[👎]|\bi (?:could|can|did|do)(?: ?not|n['’]t) (?:solve|answer|know|tell|find)\b|\bno idea\b|,? and the (?:total|answer|result|sum|whole) (?:is |was |are )?[$]?\d|\bwhich leaves? [$]?\d|\bwithout\b[^.\n]{0,40}\d",
    re.IGNORECASE,
)
"""Anywhere behind a value: something else takes its place."""


_FOLLOWS = re.compile(
    r"[\s$*_`\"'“”‘’)\]}|~]*(?:$|[.!?,;:—–=→✅✔✓☑🎉。！？、\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af(\[/^°%&\\-]|\n|(?:in|left|more|each|per|apiece|of|people|children|men|women|remain|remaining|still|now|today|then|as|since|because|is|are|was|were"
    r"|altogether|together|exactly|and|or|rather|so|makes sense|will|would|on|at|for|from|have|had|came|come|went|should|which|that|it|to be|cents?|usd|eur"
    r"|percent|an? [a-z]+|k?g|k?m|[cm]m|ml|l|h|min|sec|hrs?|pm|am|mph|square|cubic|[a-z]+s|(?:(?!minimum|maximum)[a-z]+ ){1,2}[a-z]+s)\b)",
    re.IGNORECASE,
)
"""What may follow a value that stands first: its unit, or where the sentence goes on; no word that makes another value of it."""


def without_assurances(text: str) -> str:
    """``text`` without what is struck out, and without "no doubt", "nothing but": words of denial that deny nothing."""
    return _EXAMPLE.sub(
        "such as",
        _ASSURANCE.sub(
            " ", _ONLY.sub(" is ", _PARTS_NOT.sub("the number ", _STRUCK.sub(" ", _LINE_SIGNS.sub("", text))))
        ),
    )


def is_stated(before: str, behind: str) -> bool:
    """Whether a value with this text ``before`` and ``behind`` it is given as the answer (the rule is this file's)."""
    last = _SENTENCE_ENDS.split(re.sub(r"</?[a-z_]{1,20}>", " ", without_assurances(before[-FAR:])))[-1]
    clause, label = _CLAUSE_ENDS.split(last)[-1], _LABEL.search(last)
    rest = re.sub(r"</?[a-z_]{1,20}>", " ", without_assurances(behind[:FAR]))
    said_before = (
        _OTHER_THAN.search(last) or _DENIED.search(label[1] if label else clause) or not _INTRODUCES.search(last)
    )
    is_first = not last.strip(" $*_`\"'“([{\\#>-")
    said_behind = (
        (is_first and not _FOLLOWS.match(rest))
        or _NEAR_IT.match(rest)
        or _DENIED_BEHIND.match(rest)
        or _RETRACTED.search(rest)
        or _TAKEN_BACK.search(rest)
    )
    return not (said_before or said_behind)


def is_retracted(behind: str) -> bool:
    """Whether the text ``behind`` a marked answer (a box, ``####``) takes it back."""
    return _RETRACTED.search(behind[:FAR]) is not None
