from __future__ import annotations

from graphmemix_bench.reports.published import published_counts, published_tables, source


def test_tables_are_cut_to_the_data_set() -> None:
    tables = {table.name: table for table in published_tables("mem_gallery")}
    main = tables["main/qwen3-vl-8b"]
    assert list(main.columns) == ["judge", "em"]
    assert main.rows["graphmemix"] == (76.33, 36.76)
    assert tables["ladder_judge"].rows["forest"] == (76.33,)
    net = tables["selectors_net_gold_recovered_100q"].rows
    assert list(net["forest_proposal"]) == [9]
    assert "recoverable_questions" not in net
    assert tables["gold_accessibility"].rows["published"] == (56.67, 37.87, 5.46)
    assert tables["lifecycle"].rows == {"graphmemix": (2.19,)}


def test_every_row_has_a_figure_for_each_column_and_a_source() -> None:
    for dataset in ("atm", "mem_gallery", "memeye", "h2hmem"):
        for table in published_tables(dataset):
            assert table.source == source() or table.name == "own"
            for row in table.rows.values():
                assert len(row) == len(table.columns)


def test_what_others_published_has_a_source_of_its_own() -> None:
    own = next(table for table in published_tables("atm") if table.name == "own")
    assert own.rows["mempalace (no LLM)"] == (0.5, 56.8, 76.4, 9.7, 28.3)
    assert own.source.startswith("ATM-Bench")


def test_what_was_not_published_has_no_table() -> None:
    assert published_tables("locomo") == ()
    assert published_tables("sample") == ()
    assert published_counts("sample") == {}
    assert "lifecycle" not in {table.name for table in published_tables("atm")}
