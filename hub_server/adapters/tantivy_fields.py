"""What tantivy indexes of a package: the fields, how text is cut into words, and the documents."""

import re

import tantivy

from hub_server.ports.search_index import FACETS, SearchDocument

LAYOUT = "5"
"""Of the fields below and what they hold: an index of another layout is built again."""
POSITION = "#position"
"""Id of the document that holds the position; no package can have it."""
TEXT_FIELDS = ("name", "tags", "summary", "facet_words", "readme")
_LONGEST_WORD = 80
_HYPHENATED = re.compile(r"\b\w++(?:-\w++)+")


def make_schema() -> tantivy.Schema:
    """Words in the text fields, whole values in ids and facets. ``all`` is what every package has, and no position."""
    made = tantivy.SchemaBuilder()
    made.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
    made.add_text_field("short_name", tokenizer_name="raw", index_option="basic")
    made.add_text_field("all", tokenizer_name="raw", index_option="basic")
    made.add_unsigned_field("position", stored=True)
    for field in TEXT_FIELDS:
        made.add_text_field(field, tokenizer_name="words", index_option="freq")
    for facet in FACETS:
        made.add_text_field(facet, fast=True, tokenizer_name="raw", index_option="basic")
    return made.build()


def package_document(document: SearchDocument) -> tantivy.Document:
    """A package as it is indexed."""
    made = tantivy.Document(id=document.package_id, short_name=document.package_id.split("/")[-1], all="1")
    for field in TEXT_FIELDS:
        made.add_text(field, _with_joined(getattr(document, field)))
    for facet in FACETS:
        for value in document.facets.get(facet, ()):
            made.add_text(facet, value)
    return made


def position_document(position: int) -> tantivy.Document:
    """The one document that is no package: the last change that the index holds."""
    made = tantivy.Document(id=POSITION)
    made.add_unsigned("position", position)
    return made


def _with_joined(text: str) -> str:
    """The text, and its hyphenated words as one word too: who looks for "email" or "multiturn" means "e-mail"."""
    joined = dict.fromkeys(word.replace("-", "") for word in _HYPHENATED.findall(text))
    return f"{text} {' '.join(joined)}" if joined else text


def stemmed_words() -> tantivy.TextAnalyzer:
    """Words without case and accents, by their English stem."""
    return _analyzer(tantivy.Filter.stemmer("english"))


def plain_words() -> tantivy.TextAnalyzer:
    """The same words unstemmed: a stem is no beginning of the words it stands for (``verify`` has ``verifi``)."""
    return _analyzer()


def _analyzer(*more: tantivy.Filter) -> tantivy.TextAnalyzer:
    built = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.regex(r"\w+"))
    for each in (
        tantivy.Filter.lowercase(),
        tantivy.Filter.ascii_fold(),
        tantivy.Filter.remove_long(_LONGEST_WORD),
        *more,
    ):
        built = built.filter(each)
    return built.build()
