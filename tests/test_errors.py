from __future__ import annotations

import pickle
import re

import pytest

from graphmemix import errors
from graphmemix.extras import install_command


def classes() -> list[type[BaseException]]:
    return [getattr(errors, name) for name in errors.__all__]


@pytest.mark.parametrize("cls", classes())
def test_every_error_is_a_graphmemix_error(cls: type[BaseException]) -> None:
    assert issubclass(cls, errors.GraphMemixError)


def test_the_tree_at_the_top_of_the_module_shows_every_error_below_its_parent() -> None:
    assert errors.__doc__ is not None
    lines = re.findall(r"^    ([│├└─\s]*)(\w+Error)\b", errors.__doc__, re.MULTILINE)
    drawn = [(len(indent) // 4, name) for indent, name in lines]
    assert {name for _, name in drawn} == set(errors.__all__)
    path: list[str] = []
    for depth, name in drawn:
        path[depth:] = [name]
        if depth:
            assert getattr(errors, path[depth - 1]) in getattr(errors, name).__bases__


def test_errors_survive_pickling_with_their_attributes() -> None:
    for error in (
        errors.InvalidProblemError("prizes[3]", "must be a finite number"),
        errors.SettingsError("forest.budget", "too small"),
        errors.MissingExtraError("milp", "This"),
    ):
        copy = pickle.loads(pickle.dumps(error))
        assert str(copy) == str(error)
        assert vars(copy) == vars(error)


def test_how_a_model_failed_is_a_word_for_counters() -> None:
    assert errors.AnswerBrokenOffError("cut off", "I thi").kind == "unavailable"
    assert errors.InvalidReplyError("no JSON").kind == "invalid_reply"
    copy = pickle.loads(pickle.dumps(errors.LimitReachedError("money", "all is spent")))
    assert copy.kind == copy.limit == "money"


def test_a_missing_extra_names_the_command_that_installs_it() -> None:
    assert install_command("milp") in str(errors.MissingExtraError("milp", "The oracle"))


def test_errors_that_are_bad_values_are_value_errors() -> None:
    assert issubclass(errors.InvalidInputError, ValueError)
