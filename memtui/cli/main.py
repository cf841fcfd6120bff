"""The commands."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from memtui import __version__
from memtui.cli import report
from memtui.cli.accounts import trace, validate
from memtui.cli.completion import check_instruction, demos, folders
from memtui.cli.evaluation import evaluate
from memtui.cli.inventory import scan, status
from memtui.cli.options import Options, common_options, hand_down
from memtui.cli.output import (
    CommandError,
    Exit,
    narrate,
    narrate_warnings,
    prepare_streams,
    silence_stdout,
    silence_stdout_if_stuck,
    write_json,
    write_line,
)
from memtui.cli.questions import compare_command, why
from memtui.cli.setups import need_roots, setup_from
from memtui.cli.teaching import epilog
from memtui.cli.values import as_query
from memtui.config import ConfigError, config_path, load_config
from memtui.engine import Engine, place_of
from memtui.memory.document import MemoryRootError, ScopeFailed
from memtui.state import state_path
from memtui.traces import StateError

CONTEXT_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def run(arguments: list[str]) -> int:
    """Runs one command and returns its exit code."""
    prepare_streams()
    code = _answer(arguments)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        silence_stdout()
    except OSError as error:
        silence_stdout()
        narrate(_of_system(error))
        return code or Exit.SOURCE
    return code


def _answer(arguments: list[str]) -> int:
    """The exit code of one command. The only place that catches everything."""
    try:
        check_instruction(os.environ)
        result = memtui.main(arguments, prog_name="memtui", standalone_mode=False)
        return int(result or Exit.DONE)
    except click.ClickException as error:
        narrate(_one_line(error))
        return error.exit_code
    except CommandError as error:
        narrate(str(error))
        return error.code
    except ScopeFailed as error:
        narrate(str(error))
        return Exit.SOURCE
    except (MemoryRootError, ConfigError, StateError) as error:
        narrate(str(error))
        return Exit.USAGE
    except (click.Abort, KeyboardInterrupt):
        return Exit.INTERRUPTED
    except (BrokenPipeError, SystemExit):  # click ends the process where a pipe is closed
        silence_stdout()
        return Exit.DONE
    except OSError as error:
        narrate(_of_system(error))
        silence_stdout_if_stuck()
        return Exit.SOURCE
    except Exception as error:  # the one net of this face: a bug must not print memory text
        kind = type(error).__name__
        narrate(f"internal error ({kind} at {place_of(error)}); please report it")
        return 70


def _of_system(error: OSError) -> str:
    return f"{error.strerror or error}: {error.filename or ''}".rstrip(": ")


def _one_line(error: click.ClickException) -> str:
    message = error.format_message().replace("\n", " ")
    context = getattr(error, "ctx", None)
    hint = f" (see {context.command_path} --help)" if context is not None else ""
    return message + hint


@click.group(
    invoke_without_command=True,
    context_settings=CONTEXT_SETTINGS,
    no_args_is_help=False,
    epilog=epilog(
        "memtui demo                     # look around on sample memories",
        "memtui                          # the memories of the agent in this folder",
        "memtui why 'roll back a release' undo-a-deploy.md   # where was it lost?",
    ),
)
@click.version_option(__version__, "--version", "-V", message="memtui %(version)s")
@common_options
@click.pass_context
def memtui(context: click.Context, options: Options) -> int | None:
    """See what a coding agent recalled from its memory, what it did not, and why.

    Without a command the app opens.
    """
    if context.invoked_subcommand is not None:
        hand_down(context, memtui.commands.get(context.invoked_subcommand))
        return None
    return open_app(options)


def open_app(options: Options) -> int:
    """Opens the app on what the options name."""
    from memtui.tui.run import run_app

    with setup_from(options, source="tui") as setup:
        return run_app(setup, load_config())


@memtui.command(
    epilog=epilog(
        "memtui demo                     # 42 memories of a shop, and a question that misses one",
        "memtui demo overflow            # 251 memories; the only match is the oldest",
        "memtui demo --into shop-demo    # as files, and the command that recalls from them",
    )
)
@click.argument("name", default="small", shell_complete=demos)
@click.option(
    "--into",
    metavar="DIR",
    shell_complete=folders,
    help="Lay the sample memories out in this new or empty folder, and open nothing.",
)
@common_options
def demo(name: str, into: str | None, options: Options) -> int:
    """Open the app on sample memories: small, overflow, two-scopes, multibyte or broken."""
    if into is not None:
        return _lay_out(name, into, options)
    options.demo = name
    return open_app(options)


def _lay_out(name: str, into: str, options: Options) -> int:
    from memtui.samples import SCENARIOS, UnknownScenario, lay_out

    if name not in SCENARIOS:
        raise CommandError(str(UnknownScenario(name)))
    folder = Path(into)
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise CommandError(f"{into} is not an empty folder; name a new one")
        folder.mkdir(parents=True, exist_ok=True)
        laid_out = lay_out(name, folder.absolute())
    except OSError as error:
        raise CommandError(f"{into} can not be used: {error.strerror}") from None
    roots: dict[str, Any] = {
        "project": str(laid_out.project),
        "user": str(laid_out.user) if laid_out.user else None,
        "team": str(laid_out.team) if laid_out.team else None,
    }
    if options.json:
        write_json(
            {
                "demo": name,
                **roots,
                "now_ms": laid_out.now_ms,
                "queries": list(laid_out.scenario.queries),
            }
        )
        return Exit.DONE
    named = " ".join(f"--{scope} {root}" for scope, root in roots.items() if root)
    write_line(f"memtui recall {laid_out.scenario.queries[0]!r} {named} --now {laid_out.now_ms}")
    return Exit.DONE


@memtui.command(
    epilog=epilog(
        "memtui recall 'customs declaration Norway' --demo overflow",
        "memtui recall 'roll back a release' --project .claude/memory --set manifest_bytes=9000",
        "memtui recall 'roll back a release' --demo small --ranker bm25 --expand --json",
    )
)
@click.argument("query")
@common_options
def recall(query: str, options: Options) -> int:
    """Run one recall and print every stage of it."""
    from memtui.recall.record import recall_record

    with setup_from(options) as setup:
        need_roots(setup)
        engine = Engine(setup)
        result = engine.recall(as_query(query))
        traced = engine.record(result)
    if options.json:
        write_json(recall_record(result, traced=traced))
    else:
        for line in report.recall_lines(result):
            write_line(line)
    narrate_warnings(result.warnings)
    if not traced:
        narrate("this recall could not be traced")
    return Exit.DONE


@memtui.command(epilog=epilog("memtui paths", "memtui paths --json"))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def paths(as_json: bool) -> int:
    """Print where memtui keeps its configuration and its state."""
    places = {"config": str(config_path()), "state": str(state_path())}
    if as_json:
        write_json({"schema": "memtui.paths/1", **places})
    else:
        for name, place in places.items():
            write_line(f"{name:<8} {place}")
    return Exit.DONE


@memtui.command(
    epilog=epilog(
        "claude mcp add memtui -- memtui mcp     # Claude Code",
        "memtui mcp --project .claude/memory --user ~/.claude/memory",
    )
)
@common_options
def mcp(options: Options) -> int:
    """Serve recalls to agents over MCP, on standard input and output."""
    try:
        from memtui.mcp import serve
    except ImportError:
        raise CommandError("the MCP server needs an extra: pip install 'memtui[mcp]'") from None
    with setup_from(options, source="mcp") as setup:
        need_roots(setup)
        for each in setup.sources:
            if each.typed and not os.path.lexists(each.root):
                raise CommandError(f"the {each.scope} root {each.root} does not exist")
        serve(setup)
    return Exit.DONE


@memtui.command(
    "serve",
    epilog=epilog(
        "memtui serve --demo small       # sample memories",
        "memtui serve --port 0           # the stores of this folder, at a free port",
    ),
)
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    metavar="N",
    default=8000,
    show_default=True,
    help="Port of the address; 0 takes a free one.",
)
@click.option(
    "--host",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="Address of this machine itself: 127.0.0.1 or ::1, and nothing else.",
)
@common_options
def serve_app(port: int, host: str, options: Options) -> int:
    """Show the app in a browser of this machine. The options are those of the app."""
    try:
        from memtui.cli.serve import serve
    except ImportError:
        raise CommandError("serve needs an extra: pip install 'memtui[serve]'") from None
    with setup_from(options):
        """Only to refuse now what the app would refuse in every browser window."""
    return serve(options.words(), host, port, as_json=options.json)


for command in (why, compare_command, evaluate, trace, validate, scan, status):
    memtui.add_command(command)
