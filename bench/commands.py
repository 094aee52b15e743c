"""Times the commands of Toolsure beside other command lines, and prints a Markdown table.

    python3 bench/commands.py TOOLSURE SHARED [--bytes 200000000] [--runs 5]
        [--sourcemeta PROGRAM] [--check-jsonschema PROGRAM] [--ajv PROGRAM]

TOOLSURE is a release build, SHARED the folder with `bench/` and `corpus/`. The others are left out unless their programs
are given (`sourcemeta-jsonschema` and `check-jsonschema` from PyPI, `ajv-cli` from npm). Each figure is the CPU time (user
and system) of the whole process, the least of the runs; a program that does not read JSON Lines is not timed with them.
Every program must accept every instance.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SET = "helm-chart-lock"  # Draft 7, no references.
FILES = 1000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("toolsure")
    parser.add_argument("shared", type=pathlib.Path)
    parser.add_argument("--bytes", type=int, default=200_000_000)
    parser.add_argument("--runs", type=int, default=5)
    for name in ("sourcemeta", "check-jsonschema", "ajv"):
        parser.add_argument(f"--{name}")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(arguments, pathlib.Path(folder))


def measure(arguments, folder: pathlib.Path) -> None:
    schema, files, lines, listing = inputs(arguments, folder)
    toolsure, sourcemeta = arguments.toolsure, arguments.sourcemeta
    check, ajv = arguments.check_jsonschema, arguments.ajv
    ajv_words = [ajv, "validate", "--spec=draft7", "--strict=false", "-s", schema]
    rows = [
        ("start (`--version`, or `help`)", arguments.runs, [
            [toolsure, "--version"],
            [sourcemeta, "version"],
            [check, "--version"],
            [ajv, "help"],
        ]),
        ("one instance of 350 bytes", arguments.runs, [
            [toolsure, "validate", schema, files[0]],
            [sourcemeta, "validate", schema, files[0]],
            [check, "--schemafile", schema, files[0]],
            [*ajv_words, "-d", files[0]],
        ]),
        (f"{FILES:,} files", arguments.runs, [
            [toolsure, "validate", schema, *files],
            [sourcemeta, "validate", schema, *files],
            [check, "--schemafile", schema, *files],
            [*ajv_words, *(word for file in files for word in ("-d", file))],
        ]),
        (f"{arguments.bytes // 1_000_000} MB of JSON Lines", 1, [
            [toolsure, "validate", "--jsonl", schema, lines],
            [sourcemeta, "validate", schema, lines],
            [None],
            [None],
        ]),
        ("lint a listing of 1,000 tools", arguments.runs, [
            [toolsure, "lint", "--level", "note", "--all", "--fail-on", "error", "--format", "json", listing],
            [None],
            [None],
            [None],
        ]),
    ]
    print("| | toolsure | sourcemeta `jsonschema` | check-jsonschema | ajv-cli |")
    print("|---|---|---|---|---|")
    for name, runs, commands in rows:
        cells = [cell(command, runs, allowed=(0, 1) if command[1:2] == ["lint"] else (0,)) for command in commands]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def inputs(arguments, folder: pathlib.Path):
    """The schema, the instances as files, as JSON Lines, and a listing."""
    bench = arguments.shared / "bench" / f"{SET}.jsonl"
    data = json.loads(bench.read_text().splitlines()[0])
    schema = folder / "schema.json"
    schema.write_text(data["schema"])
    instances = data["instances"]
    files = []
    for index in range(FILES):
        path = folder / f"{index}.json"
        path.write_text(instances[index % len(instances)])
        files.append(str(path))
    lines = folder / "instances.jsonl"
    block = "".join(json.dumps(json.loads(one)) + "\n" for one in instances).encode()
    with lines.open("wb") as out:
        while out.tell() < arguments.bytes:
            out.write(block)
    tools = []
    for path in sorted((arguments.shared / "corpus" / "listings").iterdir()):
        tools += json.loads(path.read_text())["tools"]
    # Every sixth tool, so that all servers are in it.
    listing = folder / "listing.json"
    listing.write_text(json.dumps({"tools": tools[:: len(tools) // 1000][:1000]}))
    print(f"listing of 1,000 tools: {listing.stat().st_size:,} bytes", file=sys.stderr)
    return str(schema), files, str(lines), str(listing)


def cell(command, runs: int, allowed) -> str:
    """The least CPU time of a command."""
    if command[0] is None:
        return ""
    times = []
    for _ in range(runs):
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        errors = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in allowed:
            raise SystemExit(f"{command[:6]}: exit code {child.returncode}: {errors.decode()[-400:]}")
        times.append(usage.ru_utime + usage.ru_stime)
    least = min(times)
    return f"{least * 1000:.0f} ms" if least < 10 else f"{least:.1f} s"


main()
