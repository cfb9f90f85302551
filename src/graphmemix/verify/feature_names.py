"""The names of the features of the local verifier, with what each says, in column order."""

from __future__ import annotations

from graphmemix.verify.asked import COVERING
from graphmemix.verify.subjects import SUBJECTS

NODE: dict[str, str] = {
    "context_cosine": "cosine of the exchange with the question",
    "words_cosine": "best cosine of its own words",
    "looks_cosine": "best cosine of what is to be seen in its media",
    "word_share": "BM25 of its exchange, as a share of the best in the archive",
    "own_word_share": "BM25 of its own words, as a share of the best candidate's",
    "log_bm25": "ln(1 + BM25 of its exchange)",
    "words_covered": "share of the question's words that it holds, rare words counting more",
    "topics_shared": "share of the question's topics, such as lodging, that it tells about",
    "constraints": "what it gains by dates, places, people and media that the question names",
    "below_best": "its fused score less the best one",
    "best_above_tenth": "the best fused score less the tenth",
    "best_near": "best fused score near it in its session, or linked with it, less the best",
    "session_mass": "share of the retrieval mass that the rest of its session has",
    "semantic_support": "retrieval mass of its semantic neighbours",
    "like_the_best": "likeness to the best candidates, by canonical views",
    "context_like_the_best": "likeness to the best candidates, by exchanges",
    "like_a_better_one": "greatest likeness to a candidate with a higher score",
    "better_in_session": "ln(1 + candidates of its session with a higher score)",
    "picture_for_picture": "1 if the question has a picture and the memory has media",
    "in_exchange": "1 if it is part of a round, such as a question and its reply",
    "by_assistant": "1 if an assistant said it",
    "log_length": "ln(20 + characters)",
    "log_rank": "log2(2 + position in retrieval order)",
    "seed": "1 if retrieval found it, 0 if expansion did",
    "log_word_rank": "ln(1 + rank by words)",
    "inverse_word_rank": "1 / (1 + rank by words)",
    "log_cosine_rank": "ln(1 + rank by cosine)",
    "inverse_cosine_rank": "1 / (1 + rank by cosine)",
    "time_agrees": "how well it agrees with the time that the question names",
    "place_agrees": "how well it agrees with the place",
    "person_agrees": "how well it agrees with the people",
    "medium_agrees": "how well it agrees with the kind of memory",
    "all_agree": "1 if it agrees with all that the question names",
    "holds_asked": "1 if it holds a value of the sort that is asked for, such as a time",
    "best_within": "best fused score of those whose stated days it lies in, less the best",
    "best_in_episode": "best fused score of those of its day and place, less the best",
    "best_with_number": "best fused score of those that share an order number, less the best",
    "asked_cosine": "cosine with what is asked, if the question gives its time by an event",
    "event_cosine": "cosine with that event",
    "event_beside": "best cosine with that event, of it and of those of its days",
    "is_mail": "1 if it is a mail",
    "is_message": "1 if it is a message of a chat",
    "is_event": "1 if it is an event of a calendar",
    "is_picture": "1 if it is a photo or a video",
    "is_bulk": "1 if it is a mail that many got",
}
"""Features of a candidate, in column order."""

PAIR: dict[str, str] = {
    "candidate_log_odds": "log-odds of the candidate",
    "anchor_log_odds": "log-odds of the anchor",
    "same_exchange": "1 if both belong to one exchange, or one is attached to the other",
    "likeness": "cosine of their canonical views",
    "context_likeness": "cosine of their exchanges",
    "word_share_below_best": "the candidate's word share less the best candidate's",
    "after": "1 if the candidate comes after the anchor in their session",
    "within": "1 if one states days that the other lies in",
    "same_episode": "1 if both are of about the same day and place",
    "same_number": "1 if both hold the same order or booking number",
    "linked": "1 if the published relations, a reply or an attachment link them",
    "anchor_is_event": "cosine of the anchor with the event that gives the question's time",
    "candidate_is_asked": "cosine of the candidate with what is asked beside that event",
}
"""Features of a candidate beside an anchor."""

WHOLE: dict[str, str] = {
    "best_log_odds": "log-odds of the best candidate",
    "log_expected": "ln of the expected number of pieces of evidence",
    "best_words_covered": "greatest share of the question's words that one candidate holds",
    "all_words_covered": "share of the question's words that the five best candidates hold",
    "best_cosine": "the best cosine",
    "cosine_short": "how far the best cosine falls short of 0.5",
    "best_bm25": "ln(1 + the best BM25)",
    "value_below_best": "log-odds of the best that holds a value of the sort asked for, less best",
    "named_value_below_best": "the same of those that hold the question's names, too",
    "value_cosine_below_best": "the best cosine of those that hold such a value, less the best",
    "mass_with_value": "share of the expected evidence that holds such a value",
    "mass_with_names": "share of the expected evidence that holds the question's names",
    "gives_event": "1 if the question gives its time by an event",
    "gives_time": "1 if it names a time",
    "gives_medium": "1 if it names a kind of memory",
    **COVERING,
    **SUBJECTS,
}
"""Features of a question with its candidates, for the chance that it can be answered at all."""

_LIKENESS = (
    "best_log_odds", "log_expected", "best_words_covered", "all_words_covered", "best_cosine",
    "cosine_short", "best_bm25", "words_unseen",
)  # fmt: skip
_KNOWN = ("words_unknown", "unknown_words", "names_unknown", "unknown_names", "known_names")

_OF_OTHERS = frozenset(
    {
        "best_near",
        "session_mass",
        "semantic_support",
        "like_the_best",
        "context_like_the_best",
        "like_a_better_one",
        "better_in_session",
        "best_within",
        "best_in_episode",
        "best_with_number",
        "event_beside",
    }
)

OWN: dict[str, str] = {name: what for name, what in NODE.items() if name not in _OF_OTHERS}
"""Those of a candidate that tell nothing of the candidates around it."""

RELATED: dict[str, str] = {name: WHOLE[name] for name in (*_LIKENESS, *_KNOWN)}
"""Those that tell whether a question is about this archive."""

ANSWERABLE: dict[str, str] = {name: what for name, what in WHOLE.items() if name not in _KNOWN}
"""Those that tell whether the archive holds the answer to a question about it."""

BESIDE: dict[str, str] = {
    "first_log_odds": "its log-odds at first sight",
    "first_rank": "ln(1 + candidates that are likelier at first sight)",
    "first_expected": "ln of the expected number of pieces of evidence at first sight",
    "likeliest": "log-odds of the likeliest candidate",
    "below_likeliest": "its log-odds less those of the likeliest",
    "day_support": "expected evidence made about the same day, other halves of exchanges left out",
    "week_support": "expected evidence made about the same week",
    "author_support": "expected evidence by the same person",
    "alike_support": "expected evidence, weighed by likeness",
    "linked_support": "expected evidence among its semantic neighbours",
    "within_support": "best chance of those whose stated days it lies in, or that lie in its days",
    "episode_support": "best chance of those of its day and place",
    "number_support": "best chance of those that share an order number",
    "near_support": "best chance near it in its session, or linked with it",
    "event_support": "share of the likely events, that give the question's time, on its days",
}
"""What a second look adds: how likely the candidates around one are at first sight."""

SECOND: dict[str, str] = {**NODE, **BESIDE}
"""Features of a candidate at a second look, in column order."""

_RISING = frozenset(
    {
        "best_log_odds",
        "log_expected",
        "best_words_covered",
        "all_words_covered",
        "best_cosine",
        "best_bm25",
        "covered_with_value",
        "covered_near_value",
        "names_near_value",
        "value_below_best",
        "named_value_below_best",
        "value_cosine_below_best",
        "mass_with_value",
        "mass_with_names",
        "known_names",
        "named_author_below_best",
        "mass_by_named",
        "mass_about_named",
    }
)
_FALLING = frozenset(
    {
        "cosine_short",
        "words_unseen",
        "words_unknown",
        "unknown_words",
        "names_unknown",
        "unknown_names",
    }
)


def speaks_against(name: str) -> int:
    """Return 1 or -1 for a feature of `WHOLE` that may only lower or raise the chance; else 0.

    Near misses name exactly what an archive knows of, so that data alone would teach that likeness
    speaks against an answer, and the plainest question would get the least chance.
    """
    return int(name in _FALLING) - int(name in _RISING)
