"""Keep a repository's latent space, and its files' places in it, near the files.

Two rows of the store: the space is fitted seldom, the files' vectors change with every edit.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

import numpy as np

from gortex_py.index.enrich import Enricher
from gortex_py.latent.files import FileVectors, decode_files, encode_files
from gortex_py.latent.fit import fit_space
from gortex_py.latent.space import LatentSpace, decode_space, encode_space
from gortex_py.protocols import Enrichment, StoreReader
from gortex_py.text.tokens import term_key
from gortex_py.types import Bag

logger = logging.getLogger(__name__)

LATENT_SPACE = "latent-space"
LATENT_FILES = "latent-files"

# Changes whenever the same files would give another space.
FIT_VERSION = "fit-1"
# A space stands until this many files or this share of them changed since it was fitted.
REFIT_FILES = 64
REFIT_SHARE = 0.1
THOROUGH_SHARE = 0.02
# In a very large repository 64 files are nothing, and each fit moves every file.
LARGE_SHARE = 0.01
# More units say little new; files are then sampled evenly, by path.
MAX_FIT_UNITS = 30_000
READ_FILES = 256


def latent_enrichers() -> tuple[Enricher, ...]:
    """Return what keeps the space and what lies in it, in the order in which they must run."""
    return SpaceEnricher(), FileEnricher()


def is_due(behind: int, files: int, *, thorough: bool) -> bool:
    """Say whether a space is fitted anew.

    :param behind: files that came, changed or went since
    :param files: how many there were when it was fitted
    """
    share = behind / max(1, files)
    if thorough and share > THOROUGH_SHARE:
        return True
    return share >= REFIT_SHARE or (behind >= REFIT_FILES and share >= LARGE_SHARE)


class SpaceEnricher:
    """Fits the space when enough has changed."""

    name = LATENT_SPACE

    def refresh(self, reader: StoreReader, before: Enrichment | None, *, thorough: bool) -> Enrichment | None:
        """Return the space fitted anew where that is due."""
        if before is not None and before.inputs == FIT_VERSION:
            known = decode_space(before.data)
            if known is None:
                logger.warning("the stored latent space is damaged; it is fitted anew")
            elif not is_due(before.behind, known.files, thorough=thorough):
                return None
        return Enrichment(FIT_VERSION, encode_space(_fit(reader)))


class FileEnricher:
    """Places files in the stored space: all of them in a new one, otherwise those that changed."""

    name = LATENT_FILES

    def refresh(self, reader: StoreReader, before: Enrichment | None, *, thorough: bool) -> Enrichment | None:
        """Return the vectors brought up to date; None where nothing changed."""
        stored = reader.enrichment(LATENT_SPACE)
        space = decode_space(stored.data) if stored is not None else None
        if space is None:
            return None
        known = decode_files(before.data) if before is not None else None
        if before is not None and known is None:
            logger.warning("the stored latent vectors are damaged; they are made anew")
        if known is not None and known.space != space.fingerprint:
            known = None
        if known is not None and before is not None and before.behind == 0:
            return None
        return Enrichment(FIT_VERSION, encode_files(_place_files(space, known, reader)))


def _fit(reader: StoreReader) -> LatentSpace:
    facts = reader.file_facts()
    by_path = sorted(range(len(facts.ids)), key=facts.paths.__getitem__)
    step = max(1, -(-int(facts.units.sum()) // MAX_FIT_UNITS))
    return fit_space(_read(reader, facts.ids[by_path[::step]].tolist()), len(by_path))


def _place_files(space: LatentSpace, known: FileVectors | None, reader: StoreReader) -> FileVectors:
    """Return the vectors of all files that are there now; a file whose content is known is not read again."""
    files = sorted((term_key(path), path, file.digest) for path, file in reader.digests().items())
    paths = np.array([key for key, _, _ in files], np.uint64)
    # Without a digest the file is about to be analysed anew.
    contents = np.array([int(digest[:16] or "0", 16) for _, _, digest in files], np.uint64)
    vectors = np.zeros((len(files), space.dim), np.int8)
    is_known = np.zeros(len(files), np.bool_)
    if known is not None and len(known.paths):
        rows = known.rows(paths)
        is_known = (rows >= 0) & (known.contents[rows] == contents)
        vectors[is_known] = known.vectors[rows[is_known]]
    to_read = np.flatnonzero(~is_known).tolist()
    if to_read and space.dim:
        facts = reader.file_facts()
        ids = dict(zip(facts.paths, facts.ids.tolist(), strict=True))
        read = _read(reader, [ids[files[row][1]] for row in to_read])
        vectors[to_read] = np.concatenate([space.fold_in(bags) for bags in read])
    return FileVectors(space.fingerprint, paths, contents, vectors)


def _read(reader: StoreReader, file_ids: Sequence[int]) -> Iterator[list[Bag]]:
    for at in range(0, len(file_ids), READ_FILES):
        yield reader.bags(file_ids[at : at + READ_FILES])
