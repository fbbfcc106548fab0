"""Merge the places settings come from, field by field, and say what was odd in them.

Highest first: command-line flags and ``GORTEX_EMBEDDINGS``; ``GORTEX_<SECTION>_<NAME>`` variables;
the repository's ``.gortex.yaml``; the user's ``config.yaml``; the defaults. Nothing here is fatal:
what cannot be used is named in a warning, and the next place down speaks for that field.
"""

from __future__ import annotations

import difflib
import math
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gortex_py.settings.parse import YamlFileError, read_document, read_regular_file
from gortex_py.settings.paths import REPO_FILE, Paths
from gortex_py.settings.schema import BY_KEY, SECTIONS, SETTINGS, Setting, Settings, Value, ValueType, build_settings
from gortex_py.settings.word_lists import parse_word_lists, read_names, read_word_lists
from gortex_py.types import Problem

UNKNOWN = "contains keys gortex does not recognize"
DEFAULT_SOURCE = "default"

_YES = frozenset({"1", "true", "yes", "on", "y"})
_NO = frozenset({"0", "false", "no", "off", "n"})


@dataclass(frozen=True, slots=True)
class Layer:
    """What one place says, unchecked."""

    source: str  # what messages call it: a path, "environment" or "command line"
    values: Mapping[str, object]  # key, or anything that stands where a key should -> value
    is_text: bool = False  # values are strings to be read, as in the environment
    is_repo: bool = False  # a repository's own file
    warnings: tuple[Problem, ...] = ()  # trouble met while reading it
    names: Mapping[str, str] | None = None  # key -> what it is called there, e.g. a variable


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings in force, where each came from, and what could not be used."""

    settings: Settings
    warnings: tuple[Problem, ...]
    sources: Mapping[str, str]  # key -> source; DEFAULT_SOURCE where nothing was said


def load(
    paths: Paths, environ: Mapping[str, str], *, repo: Path | None = None, flags: Mapping[str, object] | None = None
) -> Loaded:
    """Read every place and return the settings in force.

    :param repo: the root whose ``.gortex.yaml`` counts; None for the daemon's own settings.
    :param flags: key -> value of the flags that were given.
    """
    layers = [Layer("command line", flags or {}), *environment_layers(environ)]
    if repo is not None:
        layers.append(file_layer(repo / REPO_FILE, is_repo=True))
    layers.append(file_layer(paths.config_file))
    return load_settings(layers)


def load_settings(layers: Sequence[Layer]) -> Loaded:
    """Merge layers, the highest first, field by field. A field that says nothing (null) is left to the next."""
    values: dict[str, Value] = {}
    sources = {setting.key: DEFAULT_SOURCE for setting in SETTINGS}
    warnings: list[Problem] = []
    for layer in layers:
        warnings += layer.warnings
        unknown: list[str] = []
        for key, given in layer.values.items():
            setting = BY_KEY.get(key)
            if setting is None:
                unknown.append(key)
                continue
            if given is None:
                continue
            checked = _check(setting, given, layer)
            if isinstance(checked, Problem):
                warnings.append(checked)
            elif key not in values:
                values[key] = checked
                sources[key] = layer.source
        if unknown:
            warnings.append(_unknown_keys(layer, unknown))
    return Loaded(build_settings(values), tuple(warnings), sources)


def file_layer(path: Path, *, is_repo: bool = False) -> Layer:
    """Return what a file says; an absent file says nothing, a bad one says so."""
    source = str(path)
    try:
        raw = read_regular_file(path)
        document = None if raw is None else read_document(raw)
    except YamlFileError as trouble:
        return Layer(source, {}, is_repo=is_repo, warnings=(Problem(source, trouble.what),))
    if document is None:
        return Layer(source, {}, is_repo=is_repo)
    values, warnings = _flatten(document.value, source)
    notes = tuple(Problem(source, note) for note in document.notes)
    return Layer(source, values, is_repo=is_repo, warnings=notes + warnings)


def environment_layers(environ: Mapping[str, str]) -> tuple[Layer, Layer]:
    """Return the overriding variables and the sections' variables; an empty variable says nothing."""
    override = {s.key: s.override_env for s in SETTINGS if s.override_env}
    ordinary = {s.key: s.env for s in SETTINGS}
    known = {*override.values(), *ordinary.values()}
    prefixes = tuple(f"GORTEX_{section.upper()}_" for section in SECTIONS)
    stray = sorted(name for name in environ if name.startswith(prefixes) and name not in known)
    warnings = (Problem("environment", _list_unknown(stray, known)),) if stray else ()
    return (
        _variables(environ, override, ()),
        _variables(environ, ordinary, warnings),
    )


def _variables(environ: Mapping[str, str], names: Mapping[str, str], warnings: tuple[Problem, ...]) -> Layer:
    values = {key: environ[name] for key, name in names.items() if environ.get(name, "").strip()}
    return Layer("environment", values, is_text=True, warnings=warnings, names=names)


def _flatten(document: object, source: str) -> tuple[dict[str, object], tuple[Problem, ...]]:
    """Turn sections of names into keys. What is no section keeps its own name, to be reported as unknown."""
    if document is None:
        return {}, ()
    if not isinstance(document, dict):
        return {}, (Problem(source, f"holds {_shown(document)}, expected sections such as 'embedding:'"),)
    values: dict[str, object] = {}
    warnings: list[Problem] = []
    for section, body in document.items():
        if section not in SECTIONS:
            values[str(section)] = body
        elif isinstance(body, dict):
            values.update({f"{section}.{name}": value for name, value in body.items()})
        elif body is not None:
            warnings.append(Problem(source, f"{section} is {_shown(body)}, expected a section of settings"))
    return values, tuple(warnings)


def _check(setting: Setting, given: object, layer: Layer) -> Value | Problem:
    """Return the value of the setting's type, or the problem with it."""
    called = (layer.names or {}).get(setting.key, setting.key)
    if layer.is_repo and not setting.per_repo:
        return Problem(layer.source, f"{called} is ignored: a repository's own file may not set it")
    value = _from_text(setting.type, given) if isinstance(given, str) and layer.is_text else given
    listed = _lists(setting.type, value)
    if listed is not None:
        return listed
    if isinstance(value, bool | int | float | str) and _has_type(setting.type, value) and _in_range(setting, value):
        return float(value) if setting.type is ValueType.FLOAT else value
    return Problem(layer.source, f"{called} is {_shown(given)}, expected {_expected(setting)}")


def _lists(kind: ValueType, value: object) -> Value:
    """Return the value of a setting that holds a list, None for other kinds and for what is no such list."""
    if kind is ValueType.WORD_LISTS:
        return read_word_lists(value)
    return read_names(value) if kind is ValueType.NAMES else None


def _in_range(setting: Setting, value: bool | int | float | str) -> bool:
    if isinstance(value, str):
        if value == setting.default:
            return True
        return bool(value.strip()) and (not setting.choices or value in setting.choices)
    # A whole number may be too large for a float, and isfinite would raise.
    if isinstance(value, float) and not math.isfinite(value):
        return False
    above = setting.minimum is None or value >= setting.minimum
    return above and (setting.maximum is None or value <= setting.maximum)


def _has_type(kind: ValueType, value: object) -> bool:
    if kind in (ValueType.BOOL, ValueType.TRISTATE):
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False  # a bool is an int to Python, not to a reader
    if kind is ValueType.INT:
        return isinstance(value, int)
    if kind is ValueType.FLOAT:
        return isinstance(value, int | float)
    return kind is ValueType.STR and isinstance(value, str)


def _from_text(kind: ValueType, text: str) -> object:
    """Read a variable's text as a type; the text itself when it cannot be read as one."""
    text = text.strip()
    if kind in (ValueType.BOOL, ValueType.TRISTATE):
        folded = text.lower()
        return True if folded in _YES else False if folded in _NO else text
    if kind is ValueType.STR:
        return text
    if kind is ValueType.WORD_LISTS:
        return parse_word_lists(text)
    if kind is ValueType.NAMES:
        return [name.strip() for name in text.split(",")]
    try:
        return int(text) if kind is ValueType.INT else float(text)
    except ValueError:
        return text


def _expected(setting: Setting) -> str:
    if setting.choices:
        return "one of " + ", ".join(setting.choices)
    if setting.minimum is not None and setting.maximum is not None:
        return f"{setting.type.value} from {setting.minimum:g} to {setting.maximum:g}"
    if setting.minimum is not None:
        return f"{setting.type.value} of at least {setting.minimum:g}"
    return setting.type.value


def _unknown_keys(layer: Layer, unknown: Iterable[str]) -> Problem:
    return Problem(layer.source, _list_unknown(unknown, (*BY_KEY, *SECTIONS)))


def _list_unknown(unknown: Iterable[str], known: Iterable[str]) -> str:
    names = list(known)
    shown = []
    for key in unknown:
        near = difflib.get_close_matches(key[:80], names, n=1)
        shown.append(f"{_clip(key)} (did you mean {near[0]}?)" if near else _clip(key))
    return f"{UNKNOWN}: {', '.join(shown)}"


def _clip(key: str) -> str:
    return key if len(key) <= 80 else f"{key[:77]}..."


def _shown(value: object) -> str:
    # A value may be large, or share parts so often that its full text would not end.
    return reprlib.repr(value)
