"""The words of each family of problems, others in each split: two for training, one for validation, one for test."""

WORDINGS = {
    "product": (
        "One roll has {a} stamps. How many stamps are on {b} rolls?",
        "A printer makes {a} pages an hour. How many pages does it make in {b} hours?",
        "A loom weaves {a} threads into each metre. How many threads are in {b} metres?",
        "Each of {b} beehives holds {a} bees. How many bees is that?",
    ),
    "share": (
        "{a} grains are split evenly over {b} bowls. How many grains are in a bowl?",
        "A prize of {a} coins is shared by {b} winners alike. How many coins does each get?",
        "{a} bricks are stacked in {b} equal piles. How high is the count of one pile?",
        "{b} wagons carry {a} sacks between them, each the same number. How many sacks does one carry?",
    ),
    "difference": (
        "A town had {a} people; {b} moved away. How many are left?",
        "Of {a} files {b} were deleted. How many files remain?",
        "A lake held {a} fish before {b} were caught. How many fish are in it now?",
        "After {b} of {a} tickets were sold, how many can still be bought?",
    ),
    "boxes": (
        "A crate holds {a} boxes of {b} pens each, and {c} pens lie loose. How many pens are there?",
        "{c} chairs stand outside, and {a} rows of {b} chairs inside. How many chairs are there?",
        "A barn has {a} shelves with {b} jars on each, and {c} jars on the floor. How many jars is that?",
        "Beside {c} single tiles there are {a} stacks of {b} tiles. How many tiles are there?",
    ),
    "broken": (
        "{a} rows of {b} seats, {c} of them broken. How many seats can be used?",
        "A baker fills {a} trays with {b} rolls each and burns {c} rolls. How many rolls are good?",
        "{c} of the lamps in {a} corridors with {b} lamps each are dark. How many lamps shine?",
        "An orchard has {a} lines of {b} trees; a storm fells {c}. How many trees stand?",
    ),
    "each-pays": (
        "{a} adults and {b} children each pay {c} coins. How many coins is that?",
        "At {c} credits a message, what do {a} messages on Monday and {b} on Tuesday cost, in credits?",
        "{a} cats and {b} dogs each get {c} grams of food. How many grams are needed?",
        "Every one of {a} red and {b} blue flags takes {c} stitches. How many stitches are sewn?",
    ),
    "per-cent": (
        "What is {a} per cent of {b}?",
        "{a} per cent of the {b} votes were for Ada. How many votes is that? Give the exact value.",
        "A tax takes {a} per cent of {b} crowns. How many crowns does it take? Give the exact value.",
        "Of {b} litres of juice, {a} per cent are apple. How many litres are apple? Give the exact value.",
    ),
    "remainder": (
        "What remains when {a} is divided by {b}?",
        "{a} eggs go into cartons of {b}. How many eggs are left over?",
        "A rope of {a} centimetres is cut into pieces of {b}. How many centimetres are left over?",
        "Teams of {b} are made of {a} players. How many players have no team?",
    ),
    "squares": (
        "What is the sum of the squares of {a} and {b}?",
        "Two square fields have sides of {a} and {b} metres. How many square metres are they together?",
        "A square wall has {a} tiles a side, another {b} tiles a side. How many tiles are on both?",
        "One square grid is {a} cells wide, a second {b} cells wide. How many cells have the two?",
    ),
    "below-zero": (
        "A gauge shows {c} and falls by {b} a day. What would it show after {a} days (below zero counts)?",
        "An account of {c} crowns pays {b} crowns for each of {a} bills and may be overdrawn. What is its balance?",
        "A diver at height {c} sinks {b} centimetres in each of {a} seconds. At what height is the diver (below zero counts)?",  # noqa: E501
        "From a score of {c}, {b} points are lost in each of {a} rounds. What is the score (it may be negative)?",
    ),
    "vans": (
        "{a} pupils and {b} teachers travel in vans with {c} seats. How many vans are needed?",
        "Boxes hold {c} books. How many boxes are needed for {a} novels and {b} atlases together?",
        "A ferry takes {c} cars a trip. How many trips do {a} cars and {b} more that come later need?",
        "With {c} plates to a rack, how many racks do {a} deep and {b} flat plates need in all?",
    ),
    "discount": (
        "{a} lamps cost {b} crowns each, less {c} per cent. What do they cost together, exactly?",
        "Take {c} per cent off the price of {a} chairs at {b} coins each. What is to pay, exactly?",
        "{a} tickets at {b} dollars, with {c} per cent off the whole: how many dollars, exactly?",
        "A shop takes {c} per cent off when somebody buys {a} rugs at {b} pounds each. How many pounds are paid, exactly?",  # noqa: E501
    ),
    "two-offers": (
        "{a} days at {b} coins, or {c} days at {d} coins: by how much is the first dearer (negative if it is cheaper)?",
        "Ann packs {a} bags of {b} nuts, Ben {c} bags of {d} nuts. How many more nuts does Ann pack (negative if fewer)?",  # noqa: E501
        "A north wall has {a} rows of {b} bricks, a south wall {c} rows of {d}. How many bricks more has the north (negative if fewer)?",  # noqa: E501
        "One mill grinds {b} sacks on each of {a} days, the other {d} on each of {c}. How many sacks more is that (negative if fewer)?",  # noqa: E501
    ),
    "growth": (
        "A fund of {a} crowns grows by {b} per cent, and then by {c} per cent. What is it worth then, exactly?",
        "A price of {a} rises by {b} per cent and in the next year by {c} per cent. What is it, exactly?",
        "A herd weighs {a} kilos, gains {b} per cent in spring and {c} per cent more in summer. How many kilos is it, exactly?",  # noqa: E501
        "Sales of {a} go up {b} per cent, then up {c} per cent again. What are they, exactly?",
    ),
    "average": (
        "What is the mean of {a}, {b} and {c}?",
        "Three days brought {a}, {b} and {c} visitors. How many is that a day on average?",
        "Three sheep weigh {a}, {b} and {c} grams of wool each. What is their mean?",
        "Wells of {a}, {b} and {c} centimetres: how deep are they on average?",
    ),
    "hours": (
        "A pump moves {c} litres a minute for {a} hours and {b} minutes. How many litres is that?",
        "For {a} hours and {b} minutes a machine stamps {c} lids a minute. How many lids is that?",
        "{c} visitors a minute enter for {a} hours and {b} minutes. How many enter?",
        "Snow guns make {c} kilos a minute and run {a} hours and {b} minutes. How many kilos is that?",
    ),
}
