"""The daemon's process, as far as it needs no process."""

from __future__ import annotations

import logging

from gortex_py.service.daemon import LOG_LINE_CHARS, BoundedFormatter


def test_a_record_that_is_too_long_keeps_its_head_and_its_tail() -> None:
    record = logging.makeLogRecord({"msg": "head %s tail", "args": ("/some/folder " * 10_000,)})
    text = BoundedFormatter().format(record)
    assert len(text) < LOG_LINE_CHARS + 100
    assert text.startswith("head /some/folder") and text.endswith("/some/folder  tail")
    short = logging.makeLogRecord({"msg": "short"})
    assert BoundedFormatter().format(short) == "short"
