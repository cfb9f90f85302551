"""A pytest plugin for `make mutation`: the same few examples for each mutant, none made smaller."""

from __future__ import annotations

from hypothesis import Phase, settings

settings.register_profile(
    "mutation",
    database=None,
    deadline=None,
    derandomize=True,
    max_examples=20,
    phases=[Phase.explicit, Phase.generate],
)
settings.load_profile("mutation")
