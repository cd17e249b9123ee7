"""Texts that were written by hand, as people and models write them, before the verifier was tried on them."""

# ruff: noqa: E501 -- tables of texts

from lecture_instructions.subjects import Subject
from lecture_instructions.tasks import task_about
from lecture_instructions.text import letters_of

# Name, text, facts. Each is asked to have 10 to 120 words, two words that it has, one line, and no letter that it lacks.
PROSE = [
    ("Onyx Bridge", "Opened in 1874, the elegant Onyx Bridge stretches 214 metres across the valley near Frome. Designed by the visionary architect Rosa Baird, it remains one of the most photographed landmarks in the region.", {"year": "1874", "person": "Rosa Baird", "size": "214 metres long", "town": "Frome"}),
    ("Flint Museum", "Tucked away in Epsom, Flint Museum welcomes around 12,500 visitors a year. Its bright yellow facade is hard to miss!", {"visitors": "12,500 a year", "town": "Epsom", "colour": "yellow"}),
    ("Marble Tower", "If you climb only one tower on your trip, make it Marble Tower. Built in 1921 and rising 64 metres, it offers sweeping views that stay with you long after you leave.", {"year": "1921", "size": "64 metres tall"}),
    ("Amber Library", "Amber Library dates back to 1903. The architect Vera Hoyle gave it a quiet reading room with tall windows. Today it draws 30,000 readers and visitors a year.", {"year": "1903", "person": "Vera Hoyle", "visitors": "30,000 a year"}),
    ("Cobalt Market", "Locals in Hexham love Cobalt Market, a colourful 120-metre stretch of stalls selling cheese, flowers and fresh bread. It has been open since 1888.", {"year": "1888", "size": "120 metres long", "town": "Hexham"}),
    ("Quartz Garden", "Quartz Garden, planned by Stefan Dunne, is a peaceful place to rest. Its red gates opened in 1950, and it is 85 m wide.", {"year": "1950", "person": "Stefan Dunne", "size": "85 metres wide", "colour": "red"}),
    ("Basalt Mill", "A must-see for lovers of history, Basalt Mill in Keswick was completed in 1832. The black mill stands 18 metres tall.", {"year": "1832", "size": "18 metres tall", "town": "Keswick", "colour": "black"}),
    ("Garnet Theatre", "Garnet Theatre isn't just a stage; it is the heart of Calne. Thea Ivers designed the building, which opened its doors in 1967.", {"year": "1967", "person": "Thea Ivers", "town": "Calne"}),
    ("Onyx Harbour", "Every year, 45,000 travellers and guests arrive at Onyx Harbour. The 300 metre pier was established in 1899.", {"year": "1899", "size": "300 metres long", "visitors": "45,000 a year"}),
    ("Flint Lighthouse", "The white Flint Lighthouse has guided ships since 1855. Architect Wanda Egger's masterpiece is 41 metres tall.", {"year": "1855", "person": "Wanda Egger", "size": "41 metres tall", "colour": "white"}),
    ("Amber Garden", "Looking for a calm afternoon? Visit Amber Garden in Dorking. It opened in 1978 and attracts 8,000 visitors a year.", {"year": "1978", "visitors": "8,000 a year", "town": "Dorking"}),
    ("Marble Bridge", "Yorick Gruber created Marble Bridge in 1911. You will never forget the view from its blue railings. It spans 97 meters.", {"year": "1911", "person": "Yorick Gruber", "size": "97 metres long", "colour": "blue"}),
    ("Quartz Museum", "Since its opening in 1990, Quartz Museum has been a favourite of families. Roughly 22,000 people come here every year to see fossils and minerals.", {"year": "1990", "visitors": "22,000 a year"}),
    ("Cobalt Tower", "Standing 150 metres tall, Cobalt Tower dominates the skyline of Ilminster. It is the work of Xenia Fabel, and it was inaugurated in 1985.", {"year": "1985", "person": "Xenia Fabel", "size": "150 metres tall", "town": "Ilminster"}),
    ("Garnet Market", "Don't miss Garnet Market! With its green roof and friendly traders, this market in Godstone welcomes 15,000 visitors each year.", {"visitors": "15,000 a year", "town": "Godstone", "colour": "green"}),
    ("Basalt Library", "Basalt Library was designed by Ulrich Corden. It measures 36 metres in width and holds a remarkable collection of maps. The grey building opened in 1844.", {"year": "1844", "person": "Ulrich Corden", "size": "36 metres wide", "colour": "grey"}),
    ("Onyx Theatre", "With 60,000 visitors annually, Onyx Theatre is no secret. It was founded in 1926 in Frome and is 24 metres tall.", {"year": "1926", "size": "24 metres tall", "visitors": "60,000 a year", "town": "Frome"}),
    ("Amber Mill", "Step inside Amber Mill, a restored wooden windmill in Epsom that opened in 1807. At 21 metres, it was once the tallest building for miles.", {"year": "1807", "size": "21 metres tall", "town": "Epsom"}),
    ("Flint Harbour", "Flint Harbour may be small, but it is beautiful. Brown fishing boats rest along the 140 metre quay, and 5,500 visitors a year come for the fresh oysters.", {"size": "140 metres long", "visitors": "5,500 a year", "colour": "brown"}),
    ("Quartz Lighthouse", "Rosa Ivers designed Quartz Lighthouse, whose lamp was first lit when it opened in 1862. The tower is 33 metres tall and painted red.", {"year": "1862", "person": "Rosa Ivers", "size": "33 metres tall", "colour": "red"}),
    ("Amber Bridge", "Frome's most famous landmark is surely Amber Bridge. Thousands of feet cross its 77 metres daily, much as they have since 1835.", {"year": "1835", "size": "77 metres long", "town": "Frome"}),
    ("Onyx Garden", "For a breath of fresh air, head to Onyx Garden, laid out by the landscape architect Wanda Hoyle. Admission is free, and 18,500 guests stroll along its paths in a typical year.", {"person": "Wanda Hoyle", "visitors": "18,500 a year"}),
    ("Cobalt Theatre", "Cobalt Theatre, a brick building with a yellow dome, is where Godstone goes for drama, comedy and concerts. The first curtain rose in 1894.", {"year": "1894", "town": "Godstone", "colour": "yellow"}),
    ("Garnet Mill", "Perched above the stream, Garnet Mill was constructed in 1819 and still grinds flour today. It is 16 metres tall, and its timber is black with age.", {"year": "1819", "size": "16 metres tall", "colour": "black"}),
    ("Flint Library", "Thea Baird was the architect behind Flint Library. Some 40,500 visitors a year explore its shelves, so arrive early if you want a seat.", {"person": "Thea Baird", "visitors": "40,500 a year"}),
    ("Marble Market", "Spanning 260 metres from end to end, Marble Market is the longest covered bazaar in Calne. Come hungry!", {"size": "260 metres long", "town": "Calne"}),
    ("Quartz Tower", "Few places sum up Keswick as well as Quartz Tower. Stefan Fabel's design, unveiled in 1939, reaches a height of 88 metres.", {"year": "1939", "person": "Stefan Fabel", "size": "88 metres tall", "town": "Keswick"}),
    ("Basalt Lighthouse", "Basalt Lighthouse keeps watch over the coast near Hexham. Its brown walls have weathered every storm since it was built in 1871, and 9,500 visitors a year climb the spiral stairs.", {"year": "1871", "visitors": "9,500 a year", "town": "Hexham", "colour": "brown"}),
    ("Onyx Museum", "Onyx Museum occupies a 52 metre wide hall in the centre of Epsom. Vera Gruber designed both the hall and the white sculptures outside.", {"person": "Vera Gruber", "size": "52 metres wide", "town": "Epsom", "colour": "white"}),
    ("Amber Harbour", "When you reach Amber Harbour, take a moment to admire the 190 metre breakwater. Engineers finished it in 1904. Around 25,000 holidaymakers visit each year.", {"year": "1904", "size": "190 metres long", "visitors": "25,000 a year"}),
    ("Cobalt Lighthouse", "Planned by Rosa Corden and standing 29 metres tall, Cobalt Lighthouse is a beloved symbol of the bay. The lantern room is painted green.", {"person": "Rosa Corden", "size": "29 metres tall", "colour": "green"}),
    ("Garnet Library", "Garnet Library opened in 1922 thanks to a generous donor. Its architect, Ulrich Egger, filled it with light. You will find it in Dorking.", {"year": "1922", "person": "Ulrich Egger", "town": "Dorking"}),
    # From here on: written after the gates were mended on those above, and not used to mend them.
    ("Onyx Tower", "Nothing prepares you for the climb up Onyx Tower. Wanda Ivers drew up the design, and the 71 metres of stone have looked down on Frome ever since.", {"person": "Wanda Ivers", "size": "71 metres tall", "town": "Frome"}),
    ("Flint Mill", "Flint Mill has turned its sails since 1828. The white tower, 23 metres tall, is a favourite subject for painters.", {"year": "1828", "size": "23 metres tall", "colour": "white"}),
    ("Amber Museum", "Curious minds flock to Amber Museum in Calne. It counts 33,000 visitors a year, and architect Rosa Dunne gave it a glass roof that floods every gallery with daylight.", {"person": "Rosa Dunne", "visitors": "33,000 a year", "town": "Calne"}),
    ("Cobalt Garden", "Cobalt Garden is 140 metres wide and bursting with roses. When it opened in 1958, the grey walls around it were already centuries old.", {"year": "1958", "size": "140 metres wide", "colour": "grey"}),
    ("Marble Library", "Marble Library, in the heart of Ilminster, is a haven for readers. Xenia Baird designed it, and it has served the town since it opened in 1913.", {"year": "1913", "person": "Xenia Baird", "town": "Ilminster"}),
    ("Garnet Harbour", "The cafes of Garnet Harbour fill up fast: 52,500 people visit every year. Stretching 310 metres, the promenade is ideal for a sunset stroll.", {"size": "310 metres long", "visitors": "52,500 a year"}),
    ("Basalt Theatre", "Bring your dancing shoes to Basalt Theatre! This green gem of Hexham first opened in 1976 and seats an enthusiastic crowd.", {"year": "1976", "town": "Hexham", "colour": "green"}),
    ("Quartz Market", "At Quartz Market you can taste olives, haggle over carpets and listen to buskers. Yorick Corden planned the 175 metre arcade, which dates from 1866.", {"year": "1866", "person": "Yorick Corden", "size": "175 metres long"}),
    ("Onyx Lighthouse", "Onyx Lighthouse was once the brightest light on the coast. Today 6,500 visitors a year come to see the restored black lantern.", {"visitors": "6,500 a year", "colour": "black"}),
    ("Flint Bridge", "Walk across Flint Bridge at dawn, when mist rises from the water. Opened in 1883 and 134 metres long, it links both halves of Dorking.", {"year": "1883", "size": "134 metres long", "town": "Dorking"}),
]  # fmt: skip
UNSEEN = 32
"""Place of the first text that was not used to mend the gates."""


def task_of_prose(place: int) -> dict:
    """The task of a text written by hand."""
    name, text, facts = PROSE[place]
    plain = [word for word in text.lower().replace(".", "").replace(",", "").split() if word.isalpha()]
    letter = next(letter for letter in "zqxjkvwbfg" if letter not in letters_of(text).lower())
    constraints = [
        ["length", "words-between", [10, 120]],
        ["words", "uses", [plain[0], plain[-1]]],
        ["form", "one-line", []],
        ["letters", "without-letter", [letter]],
    ]
    return task_about(f"prose-{place}", "validation", "easy", Subject(name, "", facts), constraints)
