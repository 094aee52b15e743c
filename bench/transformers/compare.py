"""Compares `toolsure project` with the schema transformers of pydantic-ai and of @mastra/schema-compat.

    python3 bench/transformers/compare.py TOOLSURE SHARED MASTRA [--every N]

Needs the packages `pydantic-ai-slim` and `jsonschema` for Python, and in MASTRA/node_modules @mastra/schema-compat.
SHARED has `corpus/`. Each transformer rewrites the input schema of every tool (of every Nth, if asked); then

* the rewritten listings are linted by the rules of the provider's profile (docs/lint/README.md), and tools without a
  finding are counted as clean. Rules about the number of tools in a listing are left out, and output schemas;
* arguments of the corpus that are labelled valid or invalid are held against the rewritten schemas. A tool is narrower if
  a valid one is refused, also with null for each absent member, which is what strict modes are told to write. It is wider
  if an invalid one is accepted. Such a change is silent if the transformer neither warns nor fails.

`toolsure project` says for each tool how it relates to the original; its row has what it says. That nothing else happens
is the property test `project_corpus`.
"""

import argparse
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings
from collections import Counter

from jsonschema.validators import validator_for
from pydantic_ai.providers.anthropic import AnthropicJsonSchemaTransformer
from pydantic_ai.profiles.google import GoogleOpenAPISchemaTransformer
from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer

ROOT = pathlib.Path(__file__).resolve().parents[2]
OF_THE_LISTING = {"TL095", "TL102"}
PYDANTIC = {
    "openai-strict": OpenAIJsonSchemaTransformer,
    "anthropic-strict": AnthropicJsonSchemaTransformer,
    "gemini": GoogleOpenAPISchemaTransformer,
}
MASTRA = {"openai-strict": "openai-strict", "anthropic-strict": "anthropic", "gemini": "google"}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("toolsure")
    parser.add_argument("shared", type=pathlib.Path)
    parser.add_argument("mastra", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1)
    arguments = parser.parse_args()
    tools = read(arguments.shared / "corpus", arguments.every)
    print(f"{len(tools)} tools, {sum(len(tool['instances']) for tool in tools)} arguments", file=sys.stderr)
    print("| profile | transformer | fails | clean in the profile | narrower | wider |")
    print("|---|---|---|---|---|---|")
    for profile in PYDANTIC:
        for name, rewrite in (("pydantic-ai", pydantic), ("@mastra/schema-compat", mastra)):
            rewritten = rewrite(arguments, profile, [tool["schema"] for tool in tools])
            schemas = [schema for schema, _ in rewritten]
            clean = lint(arguments.toolsure, profile, tools, schemas)
            narrower, wider = hold(tools, schemas)
            failed = sum(schema is None for schema in schemas)
            silent = sum(not rewritten[index][1] for index in narrower)
            print(
                f"| `{profile}` | {name} | {failed} | {clean} | {len(narrower)}, {silent} of them silent"
                f" | {len(wider)}, silent |",
                flush=True,
            )
        ours(arguments.toolsure, profile, tools)


def read(corpus: pathlib.Path, every: int) -> list:
    tools = []
    for path in sorted((corpus / "listings").iterdir()):
        arguments = {}
        for line in (corpus / "instances" / f"{path.stem}.jsonl").read_text().splitlines():
            one = json.loads(line)
            if one["which"] == "input":
                arguments.setdefault(one["tool"], []).append((one["instance"], one["valid"]))
        for tool in json.loads(path.read_text())["tools"]:
            instances = arguments.get(tool["name"], [])
            tools.append({"server": path.stem, "tool": tool, "schema": tool["inputSchema"], "instances": instances})
    return tools[::every]


def pydantic(_, profile: str, schemas: list) -> list:
    def one(schema):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                return PYDANTIC[profile](copy.deepcopy(schema), strict=True).walk(), bool(said)
            except Exception:  # Whatever it raises, the tool is lost.
                return None, False

    return [one(schema) for schema in schemas]


def mastra(arguments, profile: str, schemas: list) -> list:
    command = ["node", str(pathlib.Path(__file__).with_name("mastra.mjs")), str(arguments.mastra), MASTRA[profile]]
    lines = "".join(json.dumps(schema) + "\n" for schema in schemas)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    return [(json.loads(line).get("schema"), False) for line in done.stdout.splitlines()]


def rules(profile: str) -> set:
    """The codes of a profile's rules, from the table of the documentation."""
    for line in (ROOT / "docs/lint/README.md").read_text().splitlines():
        if line.startswith(f"| `{profile}` |"):
            return set(re.findall(r"TL\d+", line)) - OF_THE_LISTING
    raise SystemExit(f"no profile `{profile}` in docs/lint/README.md")


def lint(toolsure: str, profile: str, tools: list, schemas: list) -> int:
    """How many rewritten tools draw no finding of the profile."""
    listings = {}
    for tool, schema in zip(tools, schemas):
        if schema is not None:
            listings.setdefault(tool["server"], []).append(tool["tool"] | {"inputSchema": schema})
    codes, dirty = rules(profile), set()
    with tempfile.TemporaryDirectory() as folder:
        for server, listed in listings.items():
            pathlib.Path(folder, f"{server}.json").write_text(json.dumps({"tools": listed}))
        command = [toolsure, "lint", "--no-config", "--profile", profile, "--level", "note", "--all", "--format", "json"]
        done = subprocess.run([*command, folder], capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise SystemExit(done.stderr)
        for report in json.loads(done.stdout)["reports"]:
            for finding in report["findings"]:
                if finding["code"] in codes and not finding["pointer"].startswith("/outputSchema"):
                    dirty.add((report["target"], finding["tool"]))
    return sum(len(listed) for listed in listings.values()) - len(dirty)


def hold(tools: list, schemas: list) -> tuple:
    """The indexes of the rewritten tools that refuse a valid argument, and of those that accept an invalid one."""
    narrower, wider = [], []
    for index, (tool, schema) in enumerate(zip(tools, schemas)):
        if schema is None:
            continue
        schema = read_nullable(schema)
        declared = {"$schema": tool["schema"].get("$schema", "https://json-schema.org/draft/2020-12/schema")}
        validator = validator_for(declared)(declared | {key: value for key, value in schema.items() if key != "$schema"})

        def accepts(value) -> bool:
            return validator.is_valid(value)

        try:
            if any(
                valid and not accepts(value) and not accepts(filled(validator, validator.schema, value, 0))
                for value, valid in tool["instances"]
            ):
                narrower.append(index)
            if any(not valid and accepts(value) for value, valid in tool["instances"]):
                wider.append(index)
        except Exception as error:  # A schema that refers to nothing.
            print(f"{tool['server']}/{tool['tool']['name']}: {type(error).__name__}", file=sys.stderr)
    return narrower, wider


def read_nullable(schema):
    """Gemini's `nullable` in the words of JSON Schema."""
    if isinstance(schema, list):
        return [read_nullable(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    read = {key: read_nullable(value) for key, value in schema.items()}
    if read.get("nullable") is True:
        return {"anyOf": [read, {"type": "null"}]}
    return read


def filled(validator, schema, value, depth: int):
    """The value with null for each absent member that its schema declares."""
    if depth > 12:
        return value
    branches = list(alternatives(validator, schema, 0))
    if isinstance(value, list):
        items = next((one["items"] for one in branches if isinstance(one.get("items"), dict)), {})
        return [filled(validator, items, one, depth + 1) for one in value]
    if not isinstance(value, dict):
        return value
    best = value
    for branch in branches:
        properties = branch.get("properties")
        if not isinstance(properties, dict):
            continue
        members = {name: filled(validator, properties.get(name, {}), one, depth + 1) for name, one in value.items()}
        members |= {name: None for name in properties if name not in value}
        if validator.evolve(schema=branch).is_valid(members):
            return members
        best = members
    return best


def alternatives(validator, schema, depth: int):
    """A schema and the branches of its unions, references followed."""
    if not isinstance(schema, dict) or depth > 8:
        return
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/"):
        target = validator.schema
        for token in reference[2:].split("/"):
            target = target.get(token.replace("~1", "/").replace("~0", "~"), {}) if isinstance(target, dict) else {}
        yield from alternatives(validator, target, depth + 1)
    yield schema
    for keyword in ("anyOf", "oneOf", "allOf"):
        for branch in schema.get(keyword, []):
            yield from alternatives(validator, branch, depth + 1)


def ours(toolsure: str, profile: str, tools: list) -> None:
    listings = {}
    for tool in tools:
        listings.setdefault(tool["server"], []).append(tool["tool"])
    relations, schemas, order = Counter(), [], []
    with tempfile.TemporaryDirectory() as folder:
        for server, listed in listings.items():
            path = pathlib.Path(folder, f"{server}.json")
            path.write_text(json.dumps({"tools": listed}))
            command = [toolsure, "project", "--no-config", "--for", profile, "--format", "json", str(path)]
            done = subprocess.run(command, capture_output=True, text=True)
            for tool in json.loads(done.stdout)["reports"][0]["tools"]:
                relations[tool["relation"]] += 1
                order.append({"server": server, "tool": tool["projected"] or {}})
                schemas.append((tool["projected"] or {}).get("inputSchema"))
    clean = lint(toolsure, profile, order, schemas)
    both = relations["wider-and-narrower"]
    print(
        f"| `{profile}` | `toolsure project` | {relations[None]} | {clean} | {relations['narrower'] + both}, said"
        f" | {relations['wider'] + both}, said; {relations['undecided']} undecided |",
        flush=True,
    )


main()
