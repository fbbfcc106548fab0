"""``gortex eval``."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gortex_py.surfaces.cli import exits
from gortex_py.surfaces.cli.options import json_option
from gortex_py.surfaces.cli.session import Session

if TYPE_CHECKING:
    from gortex_py.evaluation.pipeline import LocalPipeline
    from gortex_py.settings.schema import Settings

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
READ_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)
CHECKOUT = Path(__file__).resolve().parents[4]
ASKING_PROCESSES = 2


@click.group("eval", short_help="Measure how good the answers are.")
def command() -> None:
    """Measure how good the answers are, and what they cost."""


@command.command("quality", short_help="Score the answers to labelled queries.")
@click.option("--manifest", type=FILE, required=True, help="Labelled queries and where their corpora lie.")
@click.option("--history", "with_history", is_flag=True, help="Score the history.json beside the manifest, too.")
@click.option("--only", multiple=True, metavar="CORPUS", help="Only this corpus; repeatable.")
@click.option("--corpora", type=READ_FOLDER, metavar="DIR", help="Where relative roots of the manifest lie.")
@click.option("--corpus", type=click.Choice(["code", "docs", "all"]), default="code", help="What to search.")
@click.option("--index-folder", type=FOLDER, metavar="DIR", help="Keep the indexes here and reuse them.")
@click.option("--save", "save_folder", type=FOLDER, metavar="DIR", help="Also write the result below DIR.")
@json_option
@click.pass_obj
def quality_command(
    session: Session,
    *,
    manifest: Path,
    with_history: bool,
    only: tuple[str, ...],
    corpora: Path | None,
    corpus: str,
    index_folder: Path | None,
    save_folder: Path | None,
    as_json: bool,
) -> int:
    """Index every corpus of a manifest, ask its queries, and score the answers.

    Reports NDCG@10 by corpus, category and language, the seconds an index takes, and how long
    queries take. No daemon is used or needed.
    """
    from gortex_py.evaluation.report import format_report, report_to_json
    from gortex_py.evaluation.results import project_revision, save_result
    from gortex_py.evaluation.run import EvaluationOptions, evaluate
    from gortex_py.settings.load import load
    from gortex_py.types import Corpus

    settings = load(session.paths, session.environ).settings
    options = EvaluationOptions(
        index_folder,
        only=only,
        corpus=Corpus(corpus),
        corpora_folder=corpora,
        revision=project_revision(CHECKOUT),
    )
    manifests = [manifest, manifest.with_name("history.json")] if with_history else [manifest]
    reports = []
    with closing(_pipeline(settings)) as pipeline:
        for path in manifests:
            report = evaluate(path, pipeline, options=options, progress=session.console.note)
            reports.append(report)
            if save_folder is not None:
                session.console.note(f"wrote {save_result(report, save_folder)}")
            if not as_json:
                session.console.result(format_report(report))
    if as_json:
        answers = [report_to_json(report) for report in reports]
        session.console.results_json(answers if with_history else answers[0])
    return exits.FOUND


@command.command("ablate", short_help="Say what each feature of the ranking brings.")
@click.option("--manifest", "manifests", type=FILE, required=True, multiple=True, help="Labelled queries; repeatable.")
@click.option("--only", multiple=True, metavar="CORPUS", help="Only this corpus; repeatable.")
@click.option("--feature", "features", multiple=True, metavar="NAME", help="Only this feature or signal; repeatable.")
@click.option("--index-folder", type=FOLDER, metavar="DIR", help="Keep the indexes here and reuse them.")
@click.option("--save", "save_folder", type=FOLDER, metavar="DIR", help="Also write the result below DIR.")
@json_option
@click.pass_obj
def ablate_command(
    session: Session,
    *,
    manifests: tuple[Path, ...],
    only: tuple[str, ...],
    features: tuple[str, ...],
    index_folder: Path | None,
    save_folder: Path | None,
    as_json: bool,
) -> int:
    """Ask a manifest's queries again with each feature of the ranking switched.

    Reports NDCG@10 without the feature (with it, where it is off by default), and the difference
    to the ranking as shipped with its interval of 95 %. Each corpus is indexed once.
    """
    from gortex_py.evaluation.ablate import ablate, ablation_to_json, format_ablation, save_ablation
    from gortex_py.evaluation.corpora import CorpusOptions
    from gortex_py.evaluation.results import project_revision
    from gortex_py.settings.load import load

    settings = load(session.paths, session.environ).settings
    ablation = ablate(
        manifests,
        partial(_pipeline, settings),
        features=features,
        options=CorpusOptions(index_folder, only, processes=ASKING_PROCESSES),
        progress=session.console.note,
    )
    revision = project_revision(CHECKOUT)
    if save_folder is not None:
        session.console.note(f"wrote {save_ablation(ablation, save_folder, revision=revision)}")
    if as_json:
        session.console.results_json(ablation_to_json(ablation, revision))
    else:
        session.console.result(format_ablation(ablation))
    return exits.FOUND


@command.command("compare", short_help="Say how two results differ.")
@click.argument("before", type=FILE)
@click.argument("after", type=FILE)
@json_option
@click.pass_obj
def compare_command(session: Session, *, before: Path, after: Path, as_json: bool) -> int:
    """Say how the result AFTER differs from the result BEFORE, and how sure that is."""
    from gortex_py.evaluation.compare import compare, comparison_to_json, format_comparison
    from gortex_py.evaluation.results import load_result

    comparison = compare(load_result(before), load_result(after))
    if as_json:
        session.console.results_json(comparison_to_json(comparison))
    else:
        session.console.result(format_comparison(comparison))
    return exits.FOUND


def _pipeline(settings: Settings) -> LocalPipeline:
    """Return the engine that the settings ask for, without a daemon; at the top level, so that it pickles."""
    from gortex_py.evaluation.pipeline import LocalPipeline
    from gortex_py.service.compose import build_embedder
    from gortex_py.service.search_options import make_search_options

    return LocalPipeline(build_embedder(settings), search_options=make_search_options(settings.search))
