from __future__ import annotations

from pathlib import Path

import pytest

from graphmemix import Settings, SettingsError
from graphmemix.settings import describe_settings, user_file

# METHOD.md, value by value: what the published method must be.
PAPER = {
    "retrieval.mode": "dense",
    "retrieval.retrieved": 200,
    "retrieval.seeds": 24,
    "graph.neighbours": 8,
    "graph.hops": 1,
    "graph.candidates": 48,
    "graph.schema_confidence": 0.99,
    "graph.unretrieved_score": "floor",
    "graph.floor_margin": 0.01,
    "graph.event_bridge.min_seconds": 60.0,
    "graph.event_bridge.max_seconds": 3600.0,
    "graph.event_bridge.max_kilometres": 5.0,
    "graph.event_bridge.max_neighbours": 2,
    "utility.alpha": 0.8,
    "utility.tau": 5.2,
    "utility.delta": 0.7,
    "edges.anchors": 10,
    "edges.schema_weight": 0.99,
    "forest.method": "published",
    "forest.budget": 10,
    "forest.proposal_opening_cost": 0.2,
    "forest.refinement_opening_cost": 0.12,
    "forest.edge_cost_weight": 0.1,
    "selectors.mmr_redundancy": 0.05,
    "selectors.pair_redundancy": 0.02,
    "selectors.dpp_quality": 8.0,
    "selectors.dpp_width": 0.5,
    "selectors.coverage_weight": 0.25,
    "selectors.neighbour_bonus": 1.6,
    "selectors.pointwise_bonus": 0.4,
    "verifier.snippet_characters": 420,
    "verifier.snippet_ocr_characters": 120,
    "verifier.temperature": 0.0,
    "verifier.context_tokens": 32768,
    "verifier.output_tokens": 8192,
    "verifier.retries": 3,
    "verifier.image_edge": 2500,
    "reader.output_tokens": 1000,
}


@pytest.fixture
def nowhere(tmp_path: Path) -> dict[str, str]:
    """An environment without any settings, whose home is empty."""
    return {"HOME": str(tmp_path)}


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(("key", "value"), PAPER.items())
def test_the_paper_profile_has_the_published_constants(key: str, value: object) -> None:
    assert Settings.for_profile("paper").flat()[key] == value


def test_the_paper_profile_switches_off_everything_that_is_ours() -> None:
    default, paper = Settings().flat(), Settings.for_profile("paper").flat()
    ours = {
        key
        for key, field in describe_settings()
        if isinstance(field.json_schema_extra, dict)
        and "(ours" in str(field.json_schema_extra["source"])
    }
    changed = {key for key in default if default[key] != paper[key]} - {"profile"}
    # single_stage is ours and off in both; without reach, its own settings and sizes are not used.
    unused = {key for key in ours if key.startswith("graph.reach.")} - {"graph.reach.on"}
    unused |= {"retrieval.seeds_without_model", "graph.candidates_without_model"}
    assert unused < ours
    # The encoder is a choice of the user; the profile keeps the English one.
    assert changed - {"encoder.model"} == ours - unused - {"forest.single_stage"}
    assert (default["encoder.model"], paper["encoder.model"]) == ("packaged", "minilm")


def test_every_setting_says_what_it_is() -> None:
    for key, field in describe_settings():
        assert field.description, key
        if key != "profile":
            assert isinstance(field.json_schema_extra, dict)
            assert field.json_schema_extra["unit"], key
            assert field.json_schema_extra["source"], key


def test_later_layers_win(nowhere: dict[str, str], tmp_path: Path) -> None:
    file = write(
        tmp_path / "s.toml", "[forest]\nbudget = 3\nedge_cost_weight = 0.5\n[graph]\nhops = 2"
    )
    environment = nowhere | {"GRAPHMEMIX_FOREST__BUDGET": "4", "GRAPHMEMIX_GRAPH__NEIGHBOURS": "5"}
    overrides = {"forest.budget": 6}
    settings = Settings.load(file=file, environment=environment, overrides=overrides)
    assert settings.forest.budget == 6
    assert settings.graph.neighbours == 5
    assert settings.forest.edge_cost_weight == 0.5
    assert settings.graph.hops == 2
    assert settings.forest.method == "exact"


def test_any_layer_may_name_the_profile_and_the_others_still_win_over_it(
    nowhere: dict[str, str], tmp_path: Path
) -> None:
    file = write(tmp_path / "s.toml", 'profile = "paper"\n[retrieval]\nmode = "hybrid"')
    settings = Settings.load(file=file, environment=nowhere)
    assert (settings.forest.method, settings.retrieval.mode) == ("published", "hybrid")
    back = Settings.load(file=file, environment=nowhere | {"GRAPHMEMIX_PROFILE": "default"})
    assert back.forest.method == "exact"


def test_nested_sections_are_reached_from_each_layer(
    nowhere: dict[str, str], tmp_path: Path
) -> None:
    file = write(tmp_path / "s.toml", "[graph.event_bridge]\nmax_seconds = 10")
    environment = nowhere | {"GRAPHMEMIX_GRAPH__EVENT_BRIDGE__MAX_KILOMETRES": "1.5"}
    bridge = Settings.load(file=file, environment=environment).graph.event_bridge
    assert (bridge.max_seconds, bridge.max_kilometres) == (10.0, 1.5)


def test_the_users_own_file_is_read_if_it_is_there(nowhere: dict[str, str]) -> None:
    assert Settings.load(environment=nowhere) == Settings()
    write(user_file(nowhere), "[forest]\nbudget = 7")
    assert Settings.load(environment=nowhere).forest.budget == 7


def test_the_environment_may_name_the_file(nowhere: dict[str, str], tmp_path: Path) -> None:
    file = write(tmp_path / "elsewhere.toml", "[forest]\nbudget = 9")
    environment = nowhere | {"GRAPHMEMIX_CONFIG": str(file)}
    assert Settings.load(environment=environment).forest.budget == 9


def test_an_override_of_none_is_no_override(nowhere: dict[str, str]) -> None:
    assert Settings.load(environment=nowhere, overrides={"forest.budget": None}) == Settings()


@pytest.mark.parametrize(
    ("variable", "nearest"),
    [
        ("GRAPHMEMIX_FOREST__BUGDET", "forest.budget"),
        ("GRAPHMEMIX_BUDGET", "forest.budget"),
        ("GRAPHMEMIX_GRAPH__NEIGHBORS", "graph.neighbours"),
        ("GRAPHMEMIX_RETREIVAL__MODE", "retrieval.mode"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_one(
    nowhere: dict[str, str], variable: str, nearest: str
) -> None:
    with pytest.raises(SettingsError, match=nearest) as caught:
        Settings.load(environment=nowhere | {variable: "1"})
    assert caught.value.key == variable


def test_an_unknown_key_like_no_other_points_to_the_list(nowhere: dict[str, str]) -> None:
    with pytest.raises(SettingsError, match="graphmemix config"):
        Settings.load(environment=nowhere, overrides={"zzzzzz": 1})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("forest.budget", 0),
        ("forest.budget", "many"),
        ("forest.proposal_opening_cost", -0.1),
        ("forest.proposal_opening_cost", float("nan")),
        ("forest.method", "magic"),
        ("edges.schema_weight", 1.5),
        ("views.context", "perhaps"),
        ("profile", "papers"),
    ],
)
def test_an_impossible_value_is_refused_with_its_key(
    nowhere: dict[str, str], key: str, value: object
) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.load(environment=nowhere, overrides={key: value})
    assert caught.value.key == key


def test_a_file_that_is_missing_or_broken_is_named(nowhere: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"absent\.toml"):
        Settings.load(file=tmp_path / "absent.toml", environment=nowhere)
    for name, content in (("a.toml", b"= 3"), ("b.toml", b"\xff\xfe")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(SettingsError, match=rf"{name}.*is not valid TOML"):
            Settings.load(file=tmp_path / name, environment=nowhere)


def test_a_table_where_a_value_belongs_is_refused(nowhere: dict[str, str], tmp_path: Path) -> None:
    file = write(tmp_path / "s.toml", "[forest.budget]\nx = 1")
    with pytest.raises(SettingsError, match=r"forest\.budget\.x"):
        Settings.load(file=file, environment=nowhere)


def test_settings_are_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Settings().forest.budget = 3


@pytest.mark.parametrize("value", ["a\0b", "a\ud800"], ids=["nul", "surrogate"])
@pytest.mark.parametrize("key", ["local.model_file", "utility.calibration_file", "model.api_key"])
def test_no_setting_holds_what_no_file_or_address_can(key: str, value: str) -> None:
    with pytest.raises(SettingsError, match=key) as caught:
        Settings.load(environment={}, overrides={key: value})
    assert value not in str(caught.value)
