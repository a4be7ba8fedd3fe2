"""The commands about models: list, pull, verify."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rag.commands.common import dump, tell

if TYPE_CHECKING:
    from rag.config import Config
    from rag.llm.catalogue import ModelSpec


@click.group("models")
def models_group() -> None:
    """The models that Citewell knows and has."""


@models_group.command("list")
@click.option("--json", "as_json", is_flag=True, help="A list of objects.")
@click.pass_obj
def models_list(config: Config, as_json: bool) -> None:
    """Show the catalogue, and what is installed."""
    from rag.llm.catalogue import CATALOGUE

    lines = [_model_json(config, entry) for entry in CATALOGUE]
    if as_json:
        dump(lines)
        return
    for line in lines:
        state = "installed" if line["installed"] else "-"
        default = "default" if line["default"] else ""
        size = f"{line['bytes'] / 1e6:,.0f} MB"
        click.echo(f"{line['name']:36} {line['kind']:9} {size:>9}  {state:10} {default}".rstrip())


def _model_json(config: Config, entry: ModelSpec) -> dict[str, Any]:
    from rag.llm.catalogue import is_installed

    installed = is_installed(config, entry)
    return {
        "name": entry.name,
        "kind": entry.kind,
        "path": str(entry.location(config.models_dir)) if installed else None,
        "bytes": entry.size,
        "sha256": entry.weights.sha256,
        "license": entry.licence,
        "default": entry.is_default,
        "installed": installed,
    }


@models_group.command("pull")
@click.argument("names", nargs=-1, metavar="[NAME...]")
@click.pass_obj
def models_pull(config: Config, names: tuple[str, ...]) -> None:
    """Fetch models; without a name, the embedder and the chat model in use."""
    from rag.llm.catalogue import known_spec, spec
    from rag.llm.download import install

    in_use = [name for name in (config.embedder, config.model) if spec(name)]
    for entry in [known_spec(name) for name in names or in_use]:
        install(config, entry, tell)


@models_group.command("verify")
@click.argument("names", nargs=-1, metavar="[NAME...]")
@click.pass_context
def models_verify(context: click.Context, names: tuple[str, ...]) -> None:
    """Read every byte of the models named, or of all that are installed, and compare."""
    from rag.llm.catalogue import CATALOGUE, known_spec
    from rag.llm.download import problems

    config: Config = context.obj
    there = [entry for entry in CATALOGUE if entry.location(config.models_dir).exists()]
    wrong = 0
    for entry in [known_spec(name) for name in names] or there:
        found = problems(config, entry)
        wrong += bool(found)
        click.echo(f"{entry.name}: {'; '.join(found) or 'right'}")
        if found:
            tell(f"Mend it with: citewell models pull {entry.name}")
    context.exit(1 if wrong else 0)
