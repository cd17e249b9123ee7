"""Words of the mailboxes. A split has people, projects and firms of its own, so that nothing of it is trained on."""

_FIRST = (
    "Ada Ben Carla Deniz Elif Femi Gita Hugo Iris Jonas Kaya Lena Milan Nora Otis Petra Quinn Rosa Samir Tara "
    "Uma Viktor Wanda Xenia Yusuf Zoe Aino Bruno Chidi Dora Emil Farah Goran Hanna Ivo Jana Kofi Lars Mina Noam "
    "Olga Pavel Ruth Sven Tove Vera Wim Yara Anton Bela Cem Dita Edda Finn Greta Hedi Ilya Judit Kim Leo"
).split()
_LAST = (
    "Abel Brandt Costa Dekker Evans Fischer Garcia Haas Ito Jansen Keller Lopez Meyer Novak Okafor Peters Quist "
    "Rossi Singh Tanaka Ulrich Varga Weber Xu Young Zimmer Adler Bauer Chen Duarte Engel Ferro Graf Huber Ivanov "
    "Jung Klein Lind Moreau Nagy Olsen Popov Reyes Sato Toth Usman Vidal Wolf Yilmaz Ziegler Arnold Becker Cruz "
    "Diaz Ernst Fuchs Gross Horvat Iqbal Jost"
).split()
_PROJECTS = (
    "Aurora Basalt Comet Dolphin Eclipse Falcon Glacier Harbor Indigo Jasper Kestrel Lagoon Meteor Nimbus Onyx "
    "Pegasus Quartz Raven Saffron Tundra Umbra Vortex Willow Zephyr Acorn Beacon Cobalt Dune Ember Fjord Granite "
    "Heron Isle Juniper Lantern Magnet Nectar Orchid Pebble Ripple Summit Thistle Velvet Walnut Atlas Breeze "
    "Copper Delta Echo Flint Garnet Hazel Ivory Jade Lotus Maple Nova Opal Prism Reef"
).split()
_FIRMS = (
    "Albatros Brightline Calder Dornbusch Eastgate Fenwick Goldhafen Hartmann Ironbridge Jorvik Kirschner Lumen "
    "Marwick Northway Ostrava Pinewood Quayside Redfern Stonefield Tillman Underhill Vantage Westbrook Yorkdale "
    "Ashford Bellweather Crestview Dunmore Elmwood Fairhaven Greystone Hollis Inverness Jutland Kingsway Langdon "
    "Merrow Newhall Oakridge Penrose Ravenna Selby Thornton Upton Valmont Wickham Avalon Bergen Carmine Dalton "
    "Easton Fulmar Glenmore Havilland Irvine Jasmund Keswick Lowell Montrose Norwood"
).split()
ROOMS = "Birch Cedar Elm Hazelnut Juniperus Larch Oak Poplar Rowan Spruce Sycamore Yew".split()
CITIES = "Athens Bergamo Cracow Dublin Essen Geneva Helsinki Lisbon Malmo Nantes Porto Riga Sofia Turin Vienna".split()
GOODS = "laptops chairs monitors printers lamps cables headsets notebooks desks projectors".split()
ITEMS = ["the travel list", "the budget sheet", "the slides", "the contract", "the floor plan", "the press text"]
SPLITS = ("train", "validation", "test")


def names_of(split: str) -> dict[str, list[str]]:
    """First names, last names, projects and firms of one split: train has six tenths of each, the others two each."""
    pools = {"first": _FIRST, "last": _LAST, "projects": _PROJECTS, "firms": _FIRMS}
    return {
        name: [word for place, word in enumerate(pool) if _split_of(place) == split] for name, pool in pools.items()
    }


def _split_of(place: int) -> str:
    return ("train", "train", "train", "validation", "test")[place % 5]


def all_firms() -> list[str]:
    """The firms of every split."""
    return list(_FIRMS)
