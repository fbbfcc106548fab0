from __future__ import annotations

import json
from dataclasses import asdict

import pytest
import yaml

from gortex_py.settings.load import Layer, load_settings
from gortex_py.settings.paths import bundled
from gortex_py.settings.schema import SETTINGS, Setting, build_settings, render_default


def test_keys_variables_and_flags_are_unique() -> None:
    for names in (
        [s.key for s in SETTINGS],
        [s.env for s in SETTINGS] + [s.override_env for s in SETTINGS if s.override_env],
        [s.flag for s in SETTINGS if s.flag],
    ):
        assert len(names) == len(set(names))


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: s.key)
def test_each_default_is_a_value_the_setting_takes(setting: Setting) -> None:
    loaded = load_settings([Layer("here", {setting.key: setting.default})])
    assert loaded.warnings == ()
    assert asdict(loaded.settings)[setting.section][setting.name] == setting.default
    assert setting.help
    assert not setting.help.endswith(".")


def test_the_record_has_exactly_the_registry() -> None:
    fields = [f"{section}.{name}" for section, body in asdict(build_settings({})).items() for name in body]
    assert fields == [s.key for s in SETTINGS]


def test_default_yaml_is_up_to_date() -> None:
    assert bundled("config/default.yaml").read_text(encoding="utf-8") == render_default()


def test_default_yaml_says_the_defaults_once_its_marks_are_off() -> None:
    lines = [line[2:] for line in render_default().splitlines()[2:] if line and not line.startswith("#   #")]
    assert yaml.safe_load("\n".join(lines)) == json.loads(json.dumps(asdict(build_settings({}))))
