"""Names of countries, and the country of a point."""

from __future__ import annotations

import numpy as np
import pytest

from graphmemix.retrieve.constraints_words import folded
from graphmemix.text.countries import countries_at, country, country_names, is_in, on_sphere


@pytest.mark.parametrize(
    ("latitude", "longitude", "code"),
    [
        (41.15, -8.61, "PT"),
        (38.53, -28.63, "PT"),  # the Azores
        (47.56, 7.59, "CH"),  # Basel, between Germany and France
        (47.75, 7.34, "FR"),
        (55.95, -3.19, "GB-SCT"),
        (51.48, -3.18, "GB-WLS"),
        (54.6, -5.93, "GB-NIR"),
        (53.35, -6.26, "IE"),
        (35.01, 135.77, "JP"),
        (-16.8, 179.99, "FJ"),
        (-16.8, -179.99, "FJ"),
        (0.0, -30.0, ""),
        (90.0, 0.0, ""),
        (-90.0, 180.0, ""),
    ],
)
def test_the_nearest_town_says_in_which_country_a_point_is(
    latitude: float, longitude: float, code: str
) -> None:
    assert countries_at(np.array([[latitude, longitude]])) == [code]


def test_points_among_others_are_where_they_are_alone() -> None:
    generator = np.random.default_rng(3)
    points = np.stack([generator.uniform(-90, 90, 400), generator.uniform(-180, 180, 400)], axis=1)
    points[:200] = generator.normal([47.5, 8.5], 2, (200, 2))  # near four borders
    alone = [code for point in points for code in countries_at(point)]
    assert countries_at(points) == alone
    assert {"CH", "DE", "FR", "AT", ""} <= set(alone)


def test_no_points_are_in_no_country() -> None:
    assert countries_at(np.empty((0, 2))) == []


def test_a_point_of_the_sphere_is_at_both_ends_of_the_map() -> None:
    east, west = on_sphere(np.array([[10.0, 180.0], [10.0, -180.0]]))
    assert east == pytest.approx(west)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("italien", "IT"),
        ("espagne", "ES"),
        ("norge", "NO"),
        ("schweiz", "CH"),
        ("turkey", "TR"),
        ("turkiye", "TR"),
        ("cote d ivoire", "CI"),
        ("niederlanden", "NL"),
        ("usa", "US"),
        ("wales", "GB-WLS"),
        ("италия", "IT"),
        ("イ タ リ ア", "IT"),
    ],
)
def test_names_of_many_languages_are_known(name: str, code: str) -> None:
    assert country_names()[name] == code


def test_names_are_folded_as_the_words_of_a_question_are() -> None:
    latin = [name for name in country_names() if name.isascii()]
    assert latin == [" ".join(folded(name)) for name in latin]


def test_each_country_has_its_english_name_among_the_names() -> None:
    codes = {code for code in country_names().values() if "-" not in code}
    codes -= {"CG"}  # "Congo" is its larger neighbour
    assert {code: country_names()[" ".join(folded(country(code)))] for code in codes} == {
        code: code for code in codes
    }


def test_a_nation_is_in_its_kingdom_and_not_the_other_way_round() -> None:
    assert is_in("GB-WLS", "GB")
    assert not is_in("GB", "GB-WLS")
