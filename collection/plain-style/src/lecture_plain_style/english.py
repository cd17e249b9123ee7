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
    """thing things something anything stuff object item kind type sort example topic concept subject noun term name
    word phrase letter description statement text good nice great fine okay really quite interesting amazing awesome
    simple
    short brief describe called known considered""".split()
)
"""Words that fit any topic and so say nothing about one."""

AUXILIARIES = frozenset(
    """is are was were be can could will would may might must has have had do does did cannot it's they're that's
    isn't aren't don't doesn't can't won't
    cleans cools dries fits hums lights means opens warms""".split()
)
"""Forms that are verbs wherever they stand; those in the second line are adjectives or nouns without their s."""
VERBS = frozenset(
    """absorb accept accompany ache achieve act adapt add adjust admire adore affect aid allow amaze amuse announce
    annoy answer anticipate appear apply approach argue arise arrange arrive ask assemble assist assure attack
    attract avoid await bake bark bath bathe bear beat become begin behave believe belong bend benefit bind bite
    bless blink block bloom blossom blow boil boost borrow bother bounce break breathe brew brighten bring brush
    build burn bury buy call capture care caress carry carve catch cause check clear celebrate change chase chew chirp
    choose circle clap clash climb cling close collect combine come comfort communicate compete compose concern
    conduct confuse connect conquer consist consume contain contrast contribute control convert convey convince
    cook cooperate cost count cover crack crash crave crawl create creep croak cross crunch cry cure curl cut
    dance dare dazzle deal decide decorate deepen defend define delay deliver demand depart depend describe
    design destroy determine develop devour die differ dig dim disappear discover dislike display dissolve
    distract dive divide dominate drag drain draw dream drift drink drip drive drop dwell earn eat educate
    embrace emerge emit employ enable encourage end endure energize engage enhance enjoy enrich ensure enter
    entertain erupt escape establish evoke examine excite exist expand expect explain explode explore express
    extend extract face fade fail fall fasten fear feature feed feel fight fill find fix flap flash flatten
    flicker flip float flourish flow flutter fly fold follow forget forgive form freeze frighten function gain
    gallop gather gaze generate get give glide glisten glitter glow gnaw go govern grab grant graze greet grind
    groom grow guarantee guard guess guide hang happen hatch hate haul haunt heal hear heat help herd hide hit
    hold honour hop host hover howl hug hunt hurry hurt identify ignore illuminate imagine imitate impress
    improve include increase indicate inform ingest inhabit inject injure insist inspect inspire install
    instruct insulate interact introduce invade invent invest invite involve irritate isolate itch join judge
    jump justify keep kick kill kiss kneel knit knock know lack land last laugh lay lead leak leap learn leave
    lend let lie lift lighten like link listen live look loosen lose love lubricate lure magnify maintain make
    manage march mark marry measure meet melt mend migrate milk mimic mislead mix moisten motivate mourn move
    multiply munch murmur nap navigate need nest nibble nod notice nourish nurture obey observe obtain occupy
    occur offer operate oppose orbit organise organize overcome overflow own owns paint pant park pass patrol
    peck pedal peel perch perform permit persist persuade photograph pick pinch place plant play plough plow
    point polish pollinate pollute portray possess pour power practise praise predict prefer prepare preserve
    press pretend prevent prick print procure produce promise promote propel propose protect prove provide prowl
    publish pull pump punish purr push put quack quench quit race radiate raise reach react read reassure rebel
    rebuild receive reckon record recover reduce reflect refresh refuse regulate reign relate relax release
    relieve rely remember remind remove repair repeat replace represent reproduce require rescue resemble
    respond rest restore result retain retrieve return reunite reveal revolve reward rhyme rid ride ring rinse
    ripen rise roam roar roast roll rot rotate rub ruin rule run rush rustle sail satisfy save say scare scatter
    scoop scrape scratch scream scrub see seek seem sell send serve settle sew shade shake shape share shatter
    shed shelter shield shift shimmer shine shiver shoot shop shout show shrink shut signal sing sink sip sit
    skip slaughter sleep slice slide slip slither smash smell smile snap sneak sneeze sniff snore snuggle soak soar
    soften solve soothe sort sound spare sparkle speak specialize spell spend spill spin splash split spoil spot
    spray spread sprout squeak squeal squeeze squirt stack stalk stand stare start startle stay steal steer
    stick stimulate sting stir stop store strengthen stretch strike strive struggle strum study stumble succeed
    suck suffer suggest suit summon support surf surprise surround survive suspect sustain swallow swap sway
    swear sweep sweeten swell swim swing swirl symbolise symbolize tackle take talk tame tap taste taunt teach
    tear tease tell tempt tend test thank thicken think threaten thrive throw thump tick tickle tie tighten
    tolerate toss touch tow track trade train transfer transform translate transmit transport trap travel treat
    tremble trickle trigger trim trot trust tuck tug tumble turn twinkle twist understand unfold unify unite
    unlock unwind uphold uplift urge use utilize value vanish vary venture vibrate view visit vote wade wag wait
    wake walk wander want warn wash watch wave weaken wear weave weigh welcome whisper whistle whittle widen
    wiggle win wipe wish wither wonder work worry worship wrap wreck wrestle wriggle write yawn yield zoom""".split()
)
"""In the base form; with their -s they are the finite verbs of a description. Forms in -ing and -ed are not finite."""

IRREGULAR = dict(
    pair.split("=")
    for pair in """leaves=leaf
    mice=mouse wolves=wolf knives=knife teeth=tooth feet=foot geese=goose children=child women=woman
    men=man scarves=scarf lives=life loaves=loaf dice=die people=person flew=fly grew=grow wore=wear worn=wear
    grown=grow made=make sung=sing written=write eaten=eat driven=drive shone=shine ran=run swam=swim
    fungi=fungus cacti=cactus halves=half shelves=shelf ate=eat built=build held=hold kept=keep felt=feel
    brought=bring frozen=freeze woven=weave lying=lie dying=die colour=color colours=color colourful=colorful
    fibre=fiber flavour=flavor grey=gray""".split()
)


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
    bases = {word, drop_s(word), word.removesuffix("s"), word.removesuffix("es")}
    return word in AUXILIARIES or not VERBS.isdisjoint(bases)
