"""Rough English: function words, verbs, and word stems, enough to tell a sentence from a list of key words."""

FUNCTION_WORDS = frozenset(
    """a an the this that these those it its they them their theirs he she his her we us our you your i me my one ones
    who whom whose which what where when while how why and or but so nor yet if as than then because although though
    in on at of to for from by with without into onto over under about above below between through during before after
    across around along behind near inside outside against among up down out off is are was were be been being am has
    have had do does did can could will would shall should may might must not no too also very just only both either
    all any some each every many much more most few other another such own same there here often usually always never
    sometimes""".split()
)
EMPTY_WORDS = frozenset(
    """thing something anything stuff object item kind type sort example topic concept subject noun term name word
    phrase letter description statement text good nice great fine okay really quite interesting amazing awesome simple
    short brief describe called known considered""".split()
)
"""Words that fit any topic and so say nothing about one."""

AUXILIARIES = frozenset(
    """is are was were be can could will would may might must has have had do does did cannot it's they're that's
    cleans cools dries fits hums lights means opens warms""".split()
)
"""Forms that are verbs wherever they stand; those in the second line are adjectives or nouns without their s."""
VERBS = frozenset(
    """act add allow appear attack attract bake bark bear beat become begin belong bend bind bite bless bloom blow
    boil bounce break breathe brew bring build burn buy call capture care carry catch cause celebrate change
    chase chew circle climb close combine come connect consist contain contribute control convey cook cost cover
    crash crawl create croak cross crunch cry cure cut dance decorate defend deliver describe design dig display
    dive draw dream drink drip drive drop eat enable end enjoy erupt escape evoke exist explode explore express
    fade fall feature feed feel fight fill find fix flash float flow fly fold follow form freeze frighten
    function gallop gather get give glow go graze grind grow guide hang happen hatch heal hear heat help hide
    hit hold hop hover howl hunt imagine include inhabit inspire invite involve join jump keep kick kill know
    land last laugh lay lead leap learn leave let lie lift like link listen live look lose love make mark
    measure meet melt mix move need nest occur offer orbit own owns paint park pass pedal perform pick plant
    play polish possess pour power predict prepare print produce protect provide prowl pull pump purr push put
    race reach read receive reflect remember remind represent require resemble rest result ride ring ripen rise
    roam roar roll rule run rustle sail save say scare see seem sell send serve sew shade shape share shelter
    shine shoot show signal sing sink sit slide slither smell smile snap snore snuggle soar solve sound sparkle
    spin spread stack stand start stay steal sting stir stop store stretch strike study succeed suck support
    surprise surround survive sway sweep swim swing swirl symbolise symbolize take talk taste teach tell tend
    think thrive throw tick tie track transport trap travel treat trust turn twinkle unite use vary view wag
    wait wake walk want warn wash watch wear whistle work wrap write yield""".split()
)
"""In the base form; with their -s they are the finite verbs of a description. Forms in -ing and -ed are not finite."""

IRREGULAR = {
    "leaves": "leaf", "mice": "mouse", "wolves": "wolf", "knives": "knife", "teeth": "tooth", "feet": "foot", "geese": "goose",
    "children": "child", "women": "woman", "men": "man", "scarves": "scarf", "lives": "life", "loaves": "loaf", "dice": "die",
    "people": "person", "flew": "fly", "grew": "grow", "wore": "wear", "worn": "wear", "grown": "grow", "made": "make",
    "sung": "sing", "written": "write", "eaten": "eat", "driven": "drive", "shone": "shine", "ran": "run", "swam": "swim",
    "fungi": "fungus", "cacti": "cactus", "halves": "half", "shelves": "shelf", "ate": "eat", "built": "build", "held": "hold",
    "kept": "keep", "felt": "feel", "brought": "bring", "frozen": "freeze", "woven": "weave", "lying": "lie", "dying": "die",
    "colour": "color", "colours": "color", "colourful": "colorful", "fibre": "fiber", "flavour": "flavor", "grey": "gray",
}  # fmt: skip


def stem(word):
    """``word`` without the endings of plural, person, tense and comparison: rough, and the same for both sides."""
    word = word.removesuffix("'s").removesuffix("'")
    word = drop_s(IRREGULAR.get(word, word))
    for ending in ("ing", "ed", "est", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "sl":
        word = word[:-1]
    if len(word) > 3 and word.endswith("y"):
        word = word[:-1] + "i"
    return word.removesuffix("e") if len(word) > 3 else word


def drop_s(word):
    """``word`` without the s of plural or third person."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("sses", "shes", "ches", "xes", "zes")) else word[:-1]


def is_finite(word):
    """Whether ``word`` is a verb in a form that can carry a sentence: is, barks, grow; not barking, not grown."""
    return word in AUXILIARIES or word in VERBS or drop_s(word) in VERBS or word.removesuffix("es") in VERBS
