"""Lint, diff, check and `ToolContract`."""

import json
from collections import deque

import pytest

import toolsure
from toolsure import ContractError, Decision, NotJsonError, ToolContract, UndecidedError

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
    assert change.witness == {"query": change.witness["query"]}
    assert (change.kind, change.category) == ("schema-narrowed", "schema")
    assert toolsure.diff([FIND], [FIND]).class_ is None


def test_check():
    dangling = changed(page={"$ref": "#/$defs/page"}) | {"name": "dangling"}
    report = toolsure.check([FIND, dangling, {"name": "x"}])
    good, bad, none = report.tools
    assert (good.ok, good.name, good.verdict) == (True, "find", "ok")
    assert (bad.ok, bad.verdict) == (False, "refused")
    assert "does not resolve" in bad.findings[0].message
    assert bad.findings[0].pointer == "/inputSchema/properties/page/$ref"
    assert not none.ok
    with pytest.raises(ValueError, match="a listing is"):
        toolsure.check({"tool": []})
    with pytest.raises(ValueError, match="unknown setting"):
        toolsure.check([], format=True)
    with pytest.raises(NotJsonError) as error:
        toolsure.check("{")
    assert error.value.offset == 1
    strict = changed(on={"type": "string", "minLength": -1})
    assert not toolsure.check([strict], strictness="strict").tools[0].ok


def test_project():
    find = {"name": "find", "inputSchema": {"type": "object", "additionalProperties": False, "required": ["q"],
            "properties": {"q": {"type": "string", "minLength": 2}, "limit": {"type": "integer", "minimum": 1}}}}
    projection = toolsure.project([{"name": "lost"}, find], "openai-strict", form="openai")
    lost, found = projection.tools
    assert (projection.for_, found.index, found.relation) == ("openai-strict", 1, "equal")
    assert (lost.index, lost.name, lost.relation) == (0, "lost", None)
    assert "inputSchema" in lost.refused
    assert projection.definitions[0]["function"]["parameters"]["required"] == ["q", "limit"]
    call = projection.call("find", {"q": "cats", "limit": None})
    assert (call.name, call.arguments, call.decision.ok) == ("find", {"q": "cats"}, True)
    refused = projection.call("find", '{"q": "cats", "limit": 0}').decision
    assert (refused.code, refused.errors[0].instance_path, refused.errors[0].instance) == ("arguments-invalid", "/limit", 0)
    assert projection.call("gone").decision.code == "tool-unknown"
    with pytest.raises(NotJsonError):
        projection.call("find", {"q": {1, 2}})
    with pytest.raises(UndecidedError):
        toolsure.project([find], "anthropic", limits={"instance.bytes": 10}).call("find", '{"q": "more than ten"}')
    for wrong in ({"for_": "nobody"}, {"for_": "openai", "form": "soap"}, {"for_": "openai", "recursion": 17}):
        with pytest.raises(ValueError, match="must be"):
            toolsure.project([find], **wrong)


def test_argument_schema():
    report = toolsure.argument_schema({"q": {"type": "string", "required": True, "description": "Search words."}})
    assert report.schema["required"] == ["q"]
    assert (report.declared, report.diagnoses) == (False, ())
    wrong = toolsure.argument_schema({"q": {"type": "boolean", "minimum": 1}}, version="2025-10-09")
    assert wrong.schema is None
    assert "no-effect" in {one.code for one in wrong.diagnoses}


def test_contract():
    contract = ToolContract(FIND)
    assert (contract.name, contract.protocol_version) == ("find", "2026-07-28")
    assert contract.check_arguments({"query": "x"}) == Decision(ok=True, checked="valid")
    assert contract.check_arguments_json(b'{"query": "x"}').ok
    contract.validate_arguments({"query": "x"})
    contract.validate_arguments_json('{"query": "x"}')
    for decision in (contract.check_arguments({"query": 1}), contract.check_arguments_json('{"query": 1}')):
        assert (decision.ok, decision.checked, decision.code) == (False, None, "arguments-invalid")
        assert (decision.complete, decision.setting, decision.error) == (True, None, None)
        assert decision.result["isError"] is True
        assert decision.result["content"][0]["text"] == decision.message
        [error] = decision.errors
        assert (error.instance_path, error.instance) == ("/query", 1)
    assert (error.start, error.end) == (10, 11)
    assert contract.check_arguments({"query": 1}).errors[0].start is None
    for check in (contract.validate_arguments, contract.validate_arguments_json):
        with pytest.raises(ContractError) as refused:
            check({"query": 1} if check == contract.validate_arguments else '{"query": 1}')
        assert (refused.value.code, refused.value.tool) == ("arguments-invalid", "find")
        assert refused.value.errors[0].instance_path == "/query"
    assert contract.check_arguments().code == "arguments-invalid"
    # Before 2025-11-25, invalid arguments are an error of the protocol.
    decision = ToolContract(FIND, protocol_version="2025-06-18").check_arguments({})
    assert decision.result is None
    assert decision.error == {"code": -32602, "message": decision.message}
    with pytest.raises(ValueError, match="unknown protocol version"):
        ToolContract(FIND, protocol_version="2020-01-01")


def test_results_of_a_contract():
    result = {"resultType": "complete", "content": [], "structuredContent": {"count": 3}}
    for version in ("2025-06-18", "2025-11-25", "2026-07-28"):
        contract = ToolContract(FIND, protocol_version=version)
        assert contract.check_result(result).checked == "valid"
        contract.validate_result(result)
        assert contract.check_result_json(json.dumps(result)).ok
        assert contract.check_result(result | {"isError": True}).checked == "error-result"
        for wrong, code in (
            ({"content": []}, "result-missing"),
            ({"content": [], "structuredContent": {"count": "3"}}, "result-invalid"),
            ({"content": 1}, "result-malformed"),
        ):
            wrong = {"resultType": "complete"} | wrong
            for decision in (contract.check_result(wrong), contract.check_result_json(json.dumps(wrong))):
                assert (decision.ok, decision.code) == (False, code)
                assert decision.result["isError"] is True
            with pytest.raises(ContractError) as refused:
                contract.validate_result(wrong)
            assert refused.value.code == code
    wrong = {"resultType": "complete", "content": [], "structuredContent": {"count": "three"}}
    [error] = contract.check_result(wrong).errors
    assert (error.instance_path, error.instance, error.path, error.start) == ("/count", "three", deque(["count"]), None)
    text = json.dumps(wrong)
    [error] = contract.check_result_json(text).errors
    assert text[error.start : error.end] == '"three"'
    assert error.instance == "three"


def test_what_is_no_contract():
    for tool, code, path in (
        ({"name": "x", "inputSchema": {"type": "array"}}, "input-root-type", ""),
        ({"name": "x"}, "tool-member-missing", ""),
        ([], "tool-not-object", ""),
        ("{", "tool-json", ""),
        (changed(page={"$ref": "#/$defs/page"}), "unresolved-ref", "/inputSchema/properties/page/$ref"),
        (FIND | {"outputSchema": {"type": "object", "$ref": "#/a"}}, "unresolved-ref", "/outputSchema/$ref"),
    ):
        with pytest.raises(ContractError) as refused:
            ToolContract(tool)
        assert (refused.value.code, refused.value.schema_path) == (code, path)
    with pytest.raises(ContractError) as refused:
        ToolContract(FIND, limits={"subschemas": 1})
    assert (refused.value.code, refused.value.setting) == ("limit", "limits.subschemas")


def test_options_of_a_contract():
    misspelt = changed(limit={"type": "strng"})
    ToolContract(misspelt).validate_arguments({"query": "x", "limit": 1})
    with pytest.raises(ContractError):
        ToolContract(misspelt, strictness="strict")
    dated = changed(on={"type": "string", "format": "date"})
    assert ToolContract(dated).check_arguments({"query": "x", "on": "y"}).ok
    assert not ToolContract(dated, formats=True).check_arguments({"query": "x", "on": "y"}).ok
    remote = changed(on={"$ref": "https://example.com/a"})
    documents = {"https://example.com/a": {"type": "null"}}
    assert not ToolContract(remote, documents=documents).check_arguments({"query": "x", "on": "y"}).ok
    for options in ({"mask": "x"}, {"format": True}):
        with pytest.raises(TypeError, match="unknown option"):
            ToolContract(FIND, **options)


def test_undecided_contracts():
    starved = ToolContract(FIND, limits={"fuel": 1})
    decision = starved.check_arguments({"query": "x" * 10_000})
    assert (decision.ok, decision.code, decision.setting, decision.complete) == (False, "arguments-undecided", "limits.fuel", False)
    with pytest.raises(UndecidedError) as undecided:
        starved.validate_arguments({"query": "x" * 10_000})
    assert undecided.value.setting == "limits.fuel"
    for limits in ({"instance.bytes": 100}, {"instance": {"bytes": "100"}}):
        narrow = ToolContract(FIND, limits=limits)
        text = json.dumps({"query": "x" * 1000})
        decision = narrow.check_arguments_json(text)
        assert (decision.code, decision.setting) == ("arguments-undecided", "limits.instance.bytes")
        assert decision.result["isError"] is True
        with pytest.raises(UndecidedError):
            narrow.validate_arguments_json(text)
        decision = narrow.check_result_json(json.dumps({"content": [], "structuredContent": {"a": "x" * 1000}}))
        assert (decision.code, decision.setting) == ("result-undecided", "limits.instance.bytes")
    deep = []
    for _ in range(200):
        deep = [deep]
    decision = ToolContract(FIND).check_arguments({"query": "x", "deep": deep})
    assert (decision.code, decision.setting) == ("arguments-undecided", "limits.instance.depth")


def test_what_a_contract_is_asked_about_must_be_json():
    contract = ToolContract(FIND)
    decision = contract.check_arguments_json(b'{"query": }')
    assert (decision.code, decision.error["code"], decision.result) == ("message-json", -32700, None)
    with pytest.raises(NotJsonError) as refused:
        contract.validate_arguments_json(b'{"query": }')
    assert refused.value.offset == 10
    for ask in (contract.check_arguments, contract.validate_arguments):
        with pytest.raises(NotJsonError) as refused:
            ask({"query": "x", "other": {1}})
        assert refused.value.instance_path == "/other"
        # Also where the schema does not look.
        with pytest.raises(NotJsonError):
            ask({"query": "x", "other": float("nan")})


def test_repair():
    contract = ToolContract(changed(limit={"type": "integer"}))
    repaired, edits = contract.repair_arguments({"query": "x", "limit": "5"})
    assert repaired == {"query": "x", "limit": 5}
    assert edits == ['string `"5"` read as the number `5` (at `/limit`)']
    assert contract.repair_arguments({"query": "x", "limit": 5}) is None
    assert contract.repair_arguments({"query": "x", "limit": "five"}) is None


def test_the_path_of_an_error_in_a_result():
    contract = ToolContract({"name": "l", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object", "properties": {"l": {"type": "array", "items": {"type": "string"}}}}})
    result = {"resultType": "complete", "content": [], "structuredContent": {"l": [1]}}
    for decision in (contract.check_result(result), contract.check_result_json(json.dumps(result))):
        assert list(decision.errors[0].path) == ["l", 0]


def test_threads_that_map_calls_back():
    import threading

    projection = toolsure.project([{"name": "f", "inputSchema": {"type": "object"}}], "openai-strict")

    def work():
        for _ in range(300):
            with pytest.raises(NotJsonError):
                projection.call("f", "{bad")

    threads = [threading.Thread(target=work, daemon=True) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)


def test_options_of_listings():
    listing = [{"name": "x", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "urn:a"}}}}]
    assert toolsure.check(listing, documents={"urn:a": b'{"type": "string"}'}).tools[0].ok
    assert toolsure.lint(listing, profiles="openai") == toolsure.lint(listing, profiles=["openai"])
