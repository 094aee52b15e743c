"""The names of this package and of the one for JavaScript are the same, in the spelling of each language."""

import dataclasses
import inspect
import pathlib
import re

import pytest

import toolsure
from toolsure import kinds

TYPES = pathlib.Path(__file__).parents[2] / "js" / "types"

pytestmark = pytest.mark.skipif(not TYPES.is_dir(), reason="the package for JavaScript is not beside this one")


def block(file, head):
    """The text of a declaration, from its opening brace to the closing one."""
    text = (TYPES / f"{file}.d.ts").read_text()
    start = text.index("{", text.index(head))
    depth = 0
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[start + 1 : at]
    raise AssertionError(head)


def members(file, head):
    """The members of a declaration, in Python's spelling; those of nested ones are left out."""
    text = re.sub(r"/\*.*?\*/", "", block(file, head), flags=re.S)
    while (flat := re.sub(r"\{[^{}]*\}", "X", text)) != text:
        text = flat
    found = re.findall(r"^\s*(?:readonly |get )*(\w+)\??[(:<]", text, flags=re.M)
    return {snake(name) for name in found} - {"constructor"}


def snake(name):
    return {"class": "class_", "for": "for_"}.get(name) or re.sub("[A-Z]", lambda c: f"_{c[0].lower()}", name)


def fields(cls):
    return {field.name for field in dataclasses.fields(cls)}


@pytest.mark.parametrize(
    ("cls", "file", "heads"),
    [
        (toolsure.Result, "lean", ["interface Valid ", "interface Invalid ", "interface Undecided "]),
        (toolsure.Decision, "full", ["interface Pass ", "interface Refusal "]),
        (toolsure.LintFinding, "analysis", ["interface LintFinding "]),
        (toolsure.LintReport, "analysis", ["interface LintReport "]),
        (toolsure.CheckReport, "analysis", ["interface CheckReport "]),
        (toolsure.Change, "analysis", ["interface Change "]),
        (toolsure.DiffReport, "analysis", ["interface DiffReport "]),
        (toolsure.ProjectedTool, "analysis", ["interface ProjectedTool ", "interface RefusedTool "]),
        (toolsure.ArgumentSchemaReport, "analysis", ["interface ArgumentSchemaReport "]),
        (toolsure.Instances, "analysis", ["interface Instances "]),
        (toolsure.ValidInstance, "analysis", ["interface ValidInstance "]),
        (toolsure.InvalidInstance, "analysis", ["interface InvalidInstance "]),
        (toolsure.MissingInstance, "analysis", ["interface MissingInstance "]),
    ],
)
def test_reports_have_the_same_members(cls, file, heads):
    assert fields(cls) == set().union(*(members(file, head) for head in heads))


def test_errors_have_the_same_members():
    # The text of an exception is its argument.
    error = toolsure.ValidationError
    theirs = members("lean", "interface ValidationError ")
    assert theirs <= {name for name in dir(error) if not name.startswith("_")} | set(inspect.getsource(error).split())
    for cls, file in [(toolsure.SchemaError, "lean"), (toolsure.NotJsonError, "lean"), (toolsure.UndecidedError, "lean"), (toolsure.ContractError, "full")]:
        source = inspect.getsource(cls)
        for name in members(file, f"class {cls.__name__} "):
            assert re.search(rf"\b{name}\b", source), (cls.__name__, name)


def test_options_have_the_same_names():
    ours = set(inspect.signature(toolsure.Validator).parameters) - {"schema", "mask"}
    assert ours == members("lean", "interface Options ")
    contract = set(inspect.signature(toolsure.ToolContract).parameters) - {"tool"}
    assert contract - ours == members("full", "interface ContractOptions ")
    for name, head in [("lint", "LintOptions"), ("diff", "DiffOptions"), ("project", "ProjectOptions"), ("generate", "GenerateOptions")]:
        own = set(inspect.signature(getattr(toolsure, name)).parameters) - {"listing", "old", "new", "schema", "options"}
        assert own == members("analysis", f"interface {head} ")


def test_kinds_have_the_same_members():
    text = (TYPES / "lean.d.ts").read_text()
    union = text[text.index("export type ErrorKind =") : text.index(";\n\n", text.index("export type ErrorKind ="))]
    theirs = {}
    for line in re.findall(r"\| \{ (.*?) \}(?=\n|$|;)", union):
        names = re.findall(r"'(\w+)'", line.split(";")[0])
        rest = {snake(name) for name in re.findall(r"readonly (\w+)\??:", line)} - {"name"}
        for name in names:
            theirs[name] = rest
    assert len(theirs) > 25
    words = {"anyOf": "AnyOf", "oneOf": "OneOf"}
    for name, rest in theirs.items():
        cls = getattr(kinds, words.get(name) or name[0].upper() + name[1:])
        assert fields(cls) == rest, name


def test_methods_have_the_same_names():
    spelling = {"is_valid_text": "is_valid_json", "check_text": "check_json", "check_arguments_text": "check_arguments_json", "check_result_text": "check_result_json"}
    for cls, file in [(toolsure.Validator, "lean"), (toolsure.ToolContract, "full"), (toolsure.Projection, "analysis")]:
        theirs = {spelling.get(name, name) for name in members(file, f"class {cls.__name__}")}
        # JavaScript frees memory by hand; what a Python error tells is an exception there.
        theirs -= {"dispose", "static", "memory_bytes"}
        missing = {name for name in theirs if not hasattr(cls, name) and name not in cls.__annotations__}
        assert missing == set(), cls.__name__
