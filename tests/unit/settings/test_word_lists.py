from __future__ import annotations

from pathlib import Path

import pytest

from gortex_py.settings.load import Layer, environment_layers, file_layer, load_settings
from gortex_py.settings.word_lists import MAX_WORDS

KEY = "search.equivalence_extra"
LISTS = {"parcel": ("shipment", "consignment"), "till": ("register",)}


def test_a_file_gives_lists_or_words_in_a_row(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(
        "search:\n  equivalence_extra:\n    parcel: [shipment, consignment]\n    till: register\n", encoding="utf-8"
    )
    loaded = load_settings([file_layer(path)])
    assert loaded.warnings == ()
    assert loaded.settings.search.equivalence_extra == LISTS


def test_a_variable_gives_labels_with_words_between_semicolons() -> None:
    loaded = load_settings(
        environment_layers({"GORTEX_SEARCH_EQUIVALENCE_EXTRA": "parcel: shipment consignment; till: register;"})
    )
    assert loaded.warnings == ()
    assert loaded.settings.search.equivalence_extra == LISTS


@pytest.mark.parametrize(
    "given",
    [
        "words",
        ["a", "b"],
        {"a": []},
        {"a": [1]},
        {1: ["a"]},
        {"a": [" "]},
        {"a": {"b": "c"}},
        {"a": ["x"] * (MAX_WORDS + 1)},
    ],
)
def test_anything_else_is_named_and_left_out(given: object) -> None:
    loaded = load_settings([Layer("here", {KEY: given})])
    assert loaded.settings.search.equivalence_extra == {}
    assert KEY in loaded.warnings[0].what
    assert "a list of words for each label" in loaded.warnings[0].what


def test_a_variable_of_another_form_is_named_and_left_out() -> None:
    loaded = load_settings(environment_layers({"GORTEX_SEARCH_EQUIVALENCE_EXTRA": "parcel shipment"}))
    assert loaded.settings.search.equivalence_extra == {}
    assert "GORTEX_SEARCH_EQUIVALENCE_EXTRA" in loaded.warnings[0].what
