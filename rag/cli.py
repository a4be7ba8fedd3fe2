"""The `citewell` command. Data goes to stdout, progress and messages to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from rag.commands.answers import ask_command, compare_command
from rag.commands.common import tell
from rag.commands.library import (
    export_command,
    index_command,
    list_command,
    remove_command,
    search_command,
)
from rag.commands.machine import doctor_command, sample_command, serve_command
from rag.commands.models import models_group
from rag.config import Config
from rag.errors import CitewellError, UsageError

_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command and leave with its exit code."""
    # Read by OpenMP when torch and llama.cpp are loaded. Where other programs use the cores
    # too, threads that spin at barriers make the models several times as slow.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    sys.exit(_run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    try:
        code = cli.main(args=arguments, prog_name="citewell", standalone_mode=False)
    except CitewellError as error:
        tell(f"citewell: {error}")
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        tell("citewell: stopped; what was finished is kept")
        return _INTERRUPTED
    except OSError as error:
        tell(f"citewell: {error}")
        return CitewellError.exit_code
    return code if isinstance(code, int) else 0


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="citewell", prog_name="citewell")
@click.option("--library", metavar="DIR", help="Folder of the library.")
@click.option("--store", metavar="DIR|URL", help="Where the vectors are: a folder or a server.")
@click.option("--embedder", metavar="NAME|PATH", help="Embedding model.")
@click.option("--reranker", metavar="PATH", help="Cross-encoder that re-ranks results.")
@click.option("--model", metavar="NAME|PATH|URL", help="Chat model.")
@click.pass_context
def cli(context: click.Context, /, **options: str | None) -> None:
    """Ask a pile of paper abstracts questions, offline, with every sentence checked."""
    for name, value in options.items():
        if value is not None and not value.strip():
            raise UsageError(f"--{name} is empty. Give it a value, or leave it out.")
    context.obj = Config.from_environment(os.environ, **options)


for _command in (
    index_command, list_command, remove_command, search_command, ask_command, compare_command,
    export_command, models_group, doctor_command, sample_command, serve_command,
):  # fmt: skip
    cli.add_command(_command)


if __name__ == "__main__":
    main()
