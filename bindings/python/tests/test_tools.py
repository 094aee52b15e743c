"""Lint, diff, check and `ToolContract`."""

import json

import pytest

import toolsure
from toolsure.mcp import ContractError, ToolContract

FIND = {
    "name": "find",
    "description": "Finds pages",
    "inputSchema": {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "words"}},
        "required": ["query"],
    },
    "outputSchema": {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]},
}


def changed(**properties):
    tool = json.loads(json.dumps(FIND))
    tool["inputSchema"]["properties"] |= properties
    return tool


def test_lint():
    report = toolsure.lint({"tools": [changed(limit={"type": "integer", "minimun": 1, "description": "most"})]})
    finding = report.findings[0]
    assert (finding.code, finding.pointer) == ("TL032", "/inputSchema/properties/limit/minimun")
    assert finding.help == "did you mean `minimum`?"
    assert report.tokens[0] > 0
    assert finding.code not in {one.code for one in toolsure.lint([FIND], allow=["TL032"]).findings}
    with pytest.raises(ValueError, match="unknown profile"):
        toolsure.lint([FIND], profiles=["mine"])
    with pytest.raises(ValueError, match="unknown rule"):
        toolsure.lint([FIND], deny=["TL999"])
    twice = '[{"name": "a", "description": "x", "inputSchema": {"type": "object", "type": "object"}}]'
    assert "TL004" in {one.code for one in toolsure.lint(twice).findings}


def test_diff():
    new = changed()
    new["inputSchema"]["required"] = ["query", "limit"]
    report = toolsure.diff([FIND], json.dumps({"result": {"tools": [new]}}))
    assert report.class_ == "breaking"
    change = report.tools[0].changes[0]
    assert change.side == "input"
    assert "limit" in change.message
    assert json.loads(change.witness) is not None
    assert toolsure.diff([FIND], [FIND]).class_ is None


def test_check():
    dangling = changed(page={"$ref": "#/$defs/page"})
    good, bad, none = toolsure.check([FIND, dangling, {"name": "x"}])
    assert good.ok
    assert good.name == "find"
    assert bad.faults[0].code == "unresolved-ref"
    assert bad.faults[0].pointer == "/inputSchema/properties/page/$ref"
    assert none.faults[0].code == "tool-member-missing"
    with pytest.raises(ValueError, match="a listing is"):
        toolsure.check({"tool": []})


def test_contract():
    contract = ToolContract(FIND)
    assert contract.name == "find"
    contract.verify()
    contract.check_arguments({"query": "x"})
    contract.check_arguments_json(b'{"query": "x"}')
    with pytest.raises(ContractError) as refused:
        contract.check_arguments({"query": 1})
    assert refused.value.code == "arguments-invalid"
    assert refused.value.errors[0].instance_path == "/query"
    with pytest.raises(ContractError):
        contract.check_arguments()
    result = {"content": [], "structuredContent": {"count": 3}}
    for version in ("2025-06-18", "2025-11-25"):
        contract.check_result(result, protocol_version=version)
    contract.check_result({"content": [{"type": "text", "text": "no"}], "isError": True})
    for wrong, code in (
        ({"content": []}, "result-missing"),
        ({"content": [], "structuredContent": {"count": "3"}}, "result-invalid"),
        ({"content": 1}, "result-malformed"),
    ):
        with pytest.raises(ContractError) as refused:
            contract.check_result(wrong)
        assert refused.value.code == code
    with pytest.raises(ValueError, match="unknown protocol version"):
        contract.check_result(result, protocol_version="2020-01-01")
    with pytest.raises(ContractError) as refused:
        ToolContract({"name": "x", "inputSchema": {"type": "array"}})
    assert refused.value.code == "input-root-type"
    with pytest.raises(toolsure.SchemaError):
        ToolContract(changed(page={"$ref": "#/$defs/page"})).check_arguments({"query": "x"})
    starved = ToolContract(FIND, limits={"fuel": 1})
    with pytest.raises(toolsure.Undecided):
        starved.check_arguments({"query": "x" * 10_000})
