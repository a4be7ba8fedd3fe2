"""The commands about this machine: doctor, sample, serve."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rag.commands.common import dump, progress_bar, tell

if TYPE_CHECKING:
    from rag.config import Config


@click.command("doctor")
@click.option("--offline", is_flag=True, help="Also check that nothing needs the network.")
@click.option("--json", "as_json", is_flag=True, help="A list of objects.")
@click.pass_context
def doctor_command(context: click.Context, offline: bool, as_json: bool) -> None:
    """Check the build, the models and the library, and say how to mend what is wrong."""
    from dataclasses import asdict

    from rag.doctor import examine

    findings = list(examine(context.obj, offline=offline))
    if as_json:
        dump([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            click.echo(f"{'ok  ' if finding.ok else 'FAIL'} {finding.subject}: {finding.text}")
            if finding.cure:
                click.echo(f"     {finding.cure}")
    context.exit(0 if all(finding.ok for finding in findings) else 1)


@click.command("sample")
@click.pass_obj
def sample_command(config: Config) -> None:
    """Make the sample library, unless there is a library already."""
    from rag.library import make_sample
    from rag.resources import seeds_dir

    with progress_bar() as show:
        made = make_sample(config, seeds_dir(), on_progress=show)
    tell(f"{'made the sample library' if made else 'the library is there'}: {config.library}")


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=7860, show_default=True, type=click.IntRange(0, 65535))
@click.option(
    "--auth", metavar="NAME:PASSWORD", help="Ask for a login; needed beyond this machine."
)
@click.option("--mcp", is_flag=True, help="Also serve tools for language models, by MCP.")
@click.option("--open", "open_browser", is_flag=True, help="Open the page in the browser.")
@click.pass_obj
def serve_command(
    config: Config, host: str, port: int, auth: str | None, mcp: bool, open_browser: bool
) -> None:
    """Open the browser chat."""
    from rag.ui.app import serve

    serve(config, host=host, port=port, auth=auth, mcp=mcp, open_browser=open_browser)
