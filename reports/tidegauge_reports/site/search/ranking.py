"""The numbers by which the search ranks entries. The index contains them for the browser, so that `query.py`
and `search.js` rank alike."""

from msgspec import Struct


class Ranking(Struct, frozen=True, rename="camel"):
    """The weights of matches, and the bounds of the search.

    Attributes:
        of_a_phrase: the weight of a query that is a phrase of an entry.
        of_a_concept: the weight of a concept that the query mentions.
        of_an_id: the weight of the id of a rule or an issue.
        of_a_word: the weight of any other word.
        whole: the boost of a concept or a whole name; each part of a name has the boost 1.
        shortest_beginning: shorter words do not match as prefixes of longer words.
        long: words of at least this length may have `most_wrong` wrong letters, shorter words one.
        most_wrong: the maximum number of wrong letters in a word.
        most_words: further words of a query are ignored.
        weakest: entries that score less than this fraction of the best score are not shown.
        digits: scores that are equal after so many decimals are equal.
    """

    of_a_phrase: float = 3.0
    of_a_concept: float = 1.5
    of_an_id: float = 4.0
    of_a_word: float = 1.0
    whole: int = 3
    shortest_beginning: int = 4
    long: int = 6
    most_wrong: int = 2
    most_words: int = 30
    weakest: float = 0.1
    digits: int = 4


RANKING = Ranking()
