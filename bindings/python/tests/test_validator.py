"""`Validator`: verdicts, errors, bounds, and the Python values that it takes."""

import enum
import gc
import json
import sys
import threading
from collections import OrderedDict

import pytest

import toolsure.mcp
from toolsure import NotJsonError, SchemaError, ToolsureError, UndecidedError, ValidationError, Validator, kinds

# Doubles with each level: hours of work for a validator without bounds.
DOUBLING = {
    "$defs": {
        f"n{level}": {"anyOf": [{"$ref": f"#/$defs/n{level + 1}"}, {"$ref": f"#/$defs/n{level + 1}", "minLength": 1}]}
        for level in range(40)
    }
    | {"n40": {"type": "null"}},
    "$ref": "#/$defs/n0",
}


def test_three_verdicts():
    validator = Validator({"type": "integer", "minimum": 3})
    assert validator.is_valid(5) is True
    assert validator.is_valid(2) is False
    assert validator.is_valid_json(b"5") is True
    assert validator.is_valid_json("2") is False
    starved = Validator({"items": {"type": "integer"}}, limits={"fuel": 10})
    for ask in (starved.is_valid, starved.validate, starved.iter_errors):
        with pytest.raises(UndecidedError) as undecided:
            ask(list(range(1000)))
        assert undecided.value.setting == "limits.fuel"
    with pytest.raises(UndecidedError):
        starved.is_valid_json(json.dumps(list(range(1000))))
    assert not issubclass(UndecidedError, ValidationError)
    assert issubclass(UndecidedError, ToolsureError)


def test_errors_have_places_and_kinds():
    validator = Validator(
        {
            "type": "object",
            "properties": {"limit": {"type": "integer", "maximum": 100}, "tags": {"items": {"enum": ["red", "blue"]}}},
            "required": ["query"],
        }
    )
    with pytest.raises(ValidationError) as raised:
        validator.validate({"limit": 200, "tags": ["red", "bleu"]})
    errors = {error.keyword: error for error in raised.value.errors}
    assert errors.keys() == {"maximum", "enum", "required"}
    assert errors["maximum"].instance_path == "/limit"
    assert errors["maximum"].schema_path == "/properties/limit/maximum"
    match errors["maximum"].kind:
        case kinds.Maximum(limit="100", exclusive=False, found=kinds.Found(type="number", text="200")):
            pass
        case other:
            pytest.fail(repr(other))
    match errors["enum"].kind:
        case kinds.Enum(closest=closest):
            assert closest == '"blue"'
    assert errors["required"].kind == kinds.Required(missing=("query",), more=0)
    assert raised.value.complete
    assert [str(error) for error in validator.iter_errors({"query": 1})] == []
    from_text = list(validator.iter_errors_json(b'{"limit": 200, "tags": ["red", "bleu"]}'))
    assert [(error.instance_path, error.schema_path, error.kind) for error in from_text] == [
        (error.instance_path, error.schema_path, error.kind) for error in raised.value.errors
    ]


@pytest.mark.parametrize(
    ("schema", "instance", "kind"),
    [
        ({"type": ["string", "null"]}, 1, kinds.Type),
        ({"const": 1}, 2, kinds.Const),
        ({"minimum": 1}, 0, kinds.Minimum),
        ({"multipleOf": 2}, 3, kinds.MultipleOf),
        ({"minLength": 2}, "a", kinds.MinLength),
        ({"maxLength": 2}, "abc", kinds.MaxLength),
        ({"pattern": "^a"}, "b", kinds.Pattern),
        ({"format": "date"}, "x", kinds.Format),
        ({"minItems": 1}, [], kinds.MinItems),
        ({"maxItems": 1}, [1, 2], kinds.MaxItems),
        ({"uniqueItems": True}, [1, 1.0], kinds.UniqueItems),
        ({"contains": {"type": "null"}}, [1], kinds.Contains),
        ({"contains": True, "minContains": 2}, [1], kinds.MinContains),
        ({"contains": True, "maxContains": 1}, [1, 2], kinds.MaxContains),
        ({"minProperties": 1}, {}, kinds.MinProperties),
        ({"maxProperties": 0}, {"a": 1}, kinds.MaxProperties),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, kinds.DependentRequired),
        ({"additionalProperties": False}, {"a": 1}, kinds.UnexpectedProperty),
        ({"properties": {"a": False}}, {"a": 1}, kinds.ForbiddenProperty),
        ({"items": False}, [1], kinds.UnexpectedItem),
        ({"propertyNames": False}, {"a": 1}, kinds.ForbiddenName),
        ({"anyOf": [{"type": "null"}, {"type": "string"}]}, 1, kinds.AnyOf),
        ({"oneOf": [{"type": "null"}, {"type": "string"}]}, 1, kinds.OneOf),
        ({"oneOf": [True, {}]}, 1, kinds.OneOfMany),
        ({"not": {}}, 1, kinds.Not),
        (False, 1, kinds.Never),
    ],
)
def test_every_kind(schema, instance, kind):
    errors = list(Validator(schema, formats=True).iter_errors(instance))
    assert kind in [type(error.kind) for error in errors], [repr(error.kind) for error in errors]
    assert all(error.message for error in errors)


class Colour(str, enum.Enum):
    RED = "red"


class Size(enum.IntEnum):
    SMALL = 1


def test_python_values():
    def kind(value):
        names = ["null", "boolean", "integer", "number", "string", "array", "object"]
        return [name for name in names if Validator({"type": name}).is_valid(value)]

    assert kind(None) == ["null"]
    assert kind(True) == ["boolean"]
    assert kind(7) == kind(1.0) == kind(10**100) == kind(-(2**63) - 1) == kind(Size.SMALL) == ["integer", "number"]
    assert kind(1.5) == ["number"]
    assert kind("x") == kind(Colour.RED) == ["string"]
    assert kind([]) == kind(()) == ["array"]
    assert kind({}) == kind(OrderedDict(a=1)) == ["object"]
    assert Validator({"const": 10**100}).is_valid(10**100)
    assert not Validator({"const": 10**100}).is_valid(10**100 + 1)
    assert Validator({"minimum": 2**64}).is_valid(2**64 + 1)
    assert Validator({"multipleOf": 0.1}).is_valid(0.3)
    assert Validator({"properties": {"é\0": {"const": "ü🦀"}}, "required": ["é\0"]}).is_valid({"é\0": "ü🦀"})
    assert not Validator({"type": "integer"}, dialect="draft4").is_valid(1.0)


def test_what_json_cannot_say_is_refused():
    validator = Validator({"items": {"$ref": "#"}, "additionalProperties": {"$ref": "#"}})
    cases = [
        ({"a": [1, {2}]}, "/a/1"),
        ({"a": {"b/c": float("nan")}}, "/a/b~1c"),
        ([float("inf")], "/0"),
        ({"a": {1: 2}}, "/a"),
        ([b"bytes"], "/0"),
        ([object()], "/0"),
    ]
    for value, pointer in cases:
        for ask in (validator.is_valid, validator.validate, validator.iter_errors):
            with pytest.raises(NotJsonError) as refused:
                ask(value)
            assert refused.value.instance_path.startswith(pointer), value
    with pytest.raises(NotJsonError):
        Validator({"items": {"minLength": 1}}).is_valid(["\ud800"])
    with pytest.raises(NotJsonError):
        validator.is_valid({"\ud800": 1})
    for text in (b"{", b'{"a": 1, "a": 2}', b"NaN", b"\xff", '"\ud800"'):
        with pytest.raises(NotJsonError):
            validator.validate_json(text)
    with pytest.raises(TypeError):
        validator.validate_json(12)


def test_what_the_schema_does_not_look_at_is_not_read():
    validator = Validator({"properties": {"a": {"type": "object"}}, "required": ["a"]})
    own = {}
    own["a"] = own
    for value in ({"a": {"b": {1, 2}}}, {"a": {1: 2}}, own):
        assert validator.is_valid(value)
        validator.validate(value)
        assert list(validator.iter_errors(value)) == []
        assert validator.check(value).ok
    with pytest.raises(NotJsonError):
        validator.is_valid({"a": {1, 2}})


def test_no_code_of_a_value_runs():
    ran = []

    class Name(str):
        def __hash__(self):
            ran.append("hash")
            return str.__hash__(self)

        def __eq__(self, other):
            ran.append("eq")
            return str.__eq__(self, other)

        def __len__(self):
            ran.append("len")
            return 0

    class Count(int):
        def __index__(self):
            ran.append("index")
            return 0

    class Members(dict):
        def __getitem__(self, name):
            ran.append("getitem")
            raise KeyError(name)

    schema = {"properties": {"a": {"type": "integer", "minimum": 5}, "b": {"minLength": 1}}, "required": ["a"]}
    values = [{Name("a"): Count(7), "b": Name("x")}, Members({"a": 7, "c": 1, "d": 1, "e": 1, "f": 1})]
    ran.clear()
    for value in values:
        assert Validator(schema).is_valid(value)
        assert list(Validator(schema).iter_errors(value)) == []
    assert ran == []


def test_values_that_stand_in_many_places():
    shared = ["x"]
    for _ in range(60):
        shared = [shared, shared]
    with pytest.raises(UndecidedError):
        Validator({"items": {"$ref": "#"}}).is_valid(shared)
    assert list(Validator(True).iter_errors(shared)) == []
    twice = {"a": {"n": 1}, "b": {"n": 1}}
    twice["b"] = twice["a"]
    schema = {"additionalProperties": {"anyOf": [{"properties": {"n": {"type": "string"}}}, {"required": ["n"]}]}}
    assert Validator(schema).is_valid(twice)
    assert not Validator({"items": {"uniqueItems": True}}).is_valid([[twice, twice]])


def test_both_ways_to_read_agree():
    """The walk as the schema asks, and the value read as a whole."""

    class Other(dict):
        pass

    schema = {
        "properties": {"n": {"type": "integer", "maximum": 10}, "s": {"minLength": 2}, "l": {"items": {"type": "number"}}},
        "additionalProperties": {"type": ["boolean", "null"]},
        "minProperties": 1,
    }
    validator = Validator(schema)
    for value in ({"n": 1}, {"n": 11}, {"n": True}, {"n": 1.0}, {"s": "é"}, {"s": "éé"}, {"l": (1, 2.5)}, {"l": [None]}, {"x": 1}, {"x": None}, {}):
        whole = not list(validator.iter_errors(value))
        assert validator.is_valid(value) == whole == validator.is_valid_json(json.dumps(value)), value
        assert validator.is_valid(Other(value)) == whole


def test_two_names_of_one_text():
    class Name(str):
        __hash__ = object.__hash__

        def __eq__(self, other):
            return self is other

    with pytest.raises(NotJsonError, match="two members"):
        Validator({"required": ["a"]}).is_valid({Name("a"): 1, "a": 2})
    assert Validator({"required": ["a"]}).is_valid({Name("a"): 1})


def test_limits_on_values():
    nested = inner = []
    for _ in range(500):
        inner.append([])
        inner = inner[0]
    own = []
    own.append(own)
    for value in (nested, own):
        for ask in (Validator({"items": {"$ref": "#"}}).iter_errors, Validator({"items": {"$ref": "#"}}).is_valid):
            with pytest.raises(UndecidedError) as undecided:
                ask(value)
            assert undecided.value.setting == "limits.instance.depth"
    level = nested
    for _ in range(300):
        level = level[0]
    for depth, ends in ((200, UndecidedError), (201, None)):
        validator = Validator({"items": {"$ref": "#"}}, limits={"instance.depth": depth})
        assert validator.check(level).verdict == ("undecided" if ends else "valid")
    for schema in ({"items": {"type": "integer"}}, {"additionalProperties": {"type": "integer"}}):
        value = list(range(10)) if "items" in schema else dict.fromkeys("abcde", 1)
        for nodes in (10, 11):
            validator = Validator(schema, limits={"instance.nodes": nodes})
            if nodes == 11:
                assert validator.is_valid(value)
                assert list(validator.iter_errors(value)) == []
                continue
            for ask in (validator.is_valid, validator.iter_errors):
                with pytest.raises(UndecidedError) as undecided:
                    ask(value)
                assert undecided.value.setting == "limits.instance.nodes"
    with pytest.raises(UndecidedError) as undecided:
        Validator(True).is_valid(10**5000)
    assert undecided.value.setting == "limits.instance.digits"
    with pytest.raises(UndecidedError) as undecided:
        Validator(True).is_valid_json(b"[" * 500 + b"]" * 500)
    assert undecided.value.setting == "limits.instance.depth"


def test_schemas_and_options():
    for schema in ({"type": "string"}, b'{"type": "string"}', '{"type": "string"}'):
        assert not Validator(schema).is_valid(1)
    assert Validator({"format": "date"}).is_valid("x")
    assert not Validator({"format": "date"}, formats=True).is_valid("x")
    assert not Validator({"format": "int32"}, formats="assert-with-numbers").is_valid(2**40)
    documents = {"https://example.com/a": {"type": "integer"}}
    assert not Validator({"$ref": "https://example.com/a"}, documents=documents).is_valid("x")
    with pytest.raises(SchemaError) as refused:
        Validator({"properties": {"a": {"$ref": "https://example.com/a"}}})
    assert (refused.value.code, refused.value.schema_path) == ("ref-denied", "/properties/a/$ref")
    with pytest.raises(SchemaError) as refused:
        Validator({"type": "strng"})
    assert refused.value.help == "did you mean `string`?"
    assert Validator({"type": "strng"}, strictness="lenient").warnings
    for wrong in ({"formats": "yes"}, {"dialect": "draft5"}, {"limits": {"feul": 1}}, {"limits": {"fuel": "x"}}):
        with pytest.raises(ValueError, match="must be|unknown setting"):
            Validator(True, **wrong)
    with pytest.raises(SchemaError) as refused:
        Validator({"enum": [{1, 2}]})
    assert (refused.value.code, refused.value.schema_path) == ("json", "/enum/0")
    assert "type" in repr(Validator({"type": "string"}))
    for limits in ({"instance": {"bytes": "1KiB"}}, {"instance.bytes": 1024}, {"instance.bytes": "1024"}):
        assert Validator(True, limits=limits).check_json(json.dumps("x" * 1022)).ok
        result = Validator(True, limits=limits).check_json(json.dumps("x" * 1023))
        assert (result.verdict, result.setting) == ("undecided", "limits.instance.bytes")
    for wrong in ({"formats": 1}, {"unknown": 1}, {"limits": [1]}):
        with pytest.raises(TypeError):
            Validator(True, **wrong)


def test_results_as_data():
    validator = Validator({"properties": {"a": {"type": "integer"}}, "required": ["b"]})
    assert validator.check({"b": 1}) is validator.check_json("{\"b\": 1}")
    assert validator.check({"b": 1}) == toolsure.Result("valid")
    for result in (validator.check({"a": "x"}), validator.check_json('{"a": "x"}')):
        assert (result.verdict, result.ok, result.complete, result.setting) == ("invalid", False, True, None)
        assert [error.keyword for error in result.errors] == ["type", "required"]
        assert all(error.message in result.message or error.instance_path in result.message for error in result.errors)
    assert (result.errors[0].start, result.errors[0].end) == (6, 9)
    assert [error.start for error in validator.check({"a": "x"}).errors] == [None, None]
    starved = Validator({"items": {"type": "integer"}}, limits={"fuel": 10})
    for result in (starved.check([1] * 1000), starved.check_json(json.dumps([1] * 1000))):
        assert (result.verdict, result.ok, result.errors, result.complete) == ("undecided", False, (), False)
        assert result.setting == "limits.fuel"
        assert "undecided" in result.message
    for ask, given in ((validator.check, {1}), (validator.check_json, "{")):
        with pytest.raises(NotJsonError):
            ask(given)
    with pytest.raises(AttributeError):
        result.verdict = "valid"

def test_a_schema_as_python_value_is_the_same_as_its_text():
    schema = {"a\"\\\n\u2028": [1, -2.5, 1e300, True, None, {}, [], [[]], {"x": {"y": []}, "z": ""}], "enum": [2**70]}
    for instance in (2**70, 1):
        assert Validator(schema).is_valid(instance) == Validator(json.dumps(schema)).is_valid(instance)
    assert not Validator({"const": schema}).is_valid(1)
    assert Validator({"const": schema}).is_valid(json.loads(json.dumps(schema)))


def test_hostile_schemas_end():
    doubling = Validator(DOUBLING)
    try:
        doubling.is_valid("x")
    except UndecidedError:
        pass
    assert not Validator({"pattern": "^(a+)+$"}).is_valid("a" * 5000 + "!")


def test_threads_share_a_validator():
    validator = Validator({"items": {"type": "integer"}})
    good, bad = json.dumps(list(range(2000))), json.dumps([*range(2000), "x"])
    wrong = []

    def work():
        for _ in range(20):
            if not validator.is_valid_json(good) or validator.is_valid_json(bad) or validator.is_valid(["x"]):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_values_are_let_go():
    import sys

    text, validator = "some text " * 3, Validator({"type": "object"})
    value = {text: [text, {"a": text}]}
    before = sys.getrefcount(text)
    for _ in range(100):
        validator.is_valid(value)
        list(validator.iter_errors([value]))
    gc.collect()
    assert sys.getrefcount(text) == before


@pytest.mark.parametrize("enabled", [True, False])
def test_the_garbage_collector_runs_as_before(enabled):
    validator = Validator({"properties": {"a": {"minLength": 1}}})
    before = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        assert validator.is_valid({"a": "x"})
        with pytest.raises(NotJsonError):
            validator.is_valid({"a": "\ud800"})
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if before else gc.disable)()


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.delitem(sys.modules, "toolsure._session", raising=False)
    monkeypatch.setitem(sys.modules, "mcp_types", None)
    with pytest.raises(ModuleNotFoundError, match=r"nothing is uploaded .* pip install '\./bindings/python\[mcp\]'"):
        toolsure.mcp.ClientSession


def test_halves_of_surrogate_pairs_are_refused():
    # Python compares such strings as they are, so no replacement may decide.
    first, second = "\ud83d", "\ud83e"
    for schema, value in (
        ({"enum": ["\ufffd"]}, first),
        ({"const": {"a": "\ufffd"}}, {"a": first}),
        ({"uniqueItems": True}, [first, second]),
        ({"additionalProperties": {"type": "integer"}}, {first: 1, second: 2}),
        ({"required": ["\ufffd"]}, {first: 1}),
        ({"propertyNames": {"const": "\ufffd"}}, {first: 1}),
    ):
        validator = Validator(schema)
        for ask, given in (
            (validator.is_valid, value),
            (validator.validate, value),
            (validator.iter_errors, value),
            (validator.is_valid_json, json.dumps(value)),
            (validator.is_valid_json, json.dumps(value, ensure_ascii=False)),
        ):
            with pytest.raises(NotJsonError, match="half|UTF-8"):
                ask(given)
    for schema in ({"enum": [first]}, json.dumps({"enum": [first]})):
        with pytest.raises((NotJsonError, SchemaError), match="half"):
            Validator(schema)
    contract = toolsure.mcp.ToolContract({"name": "t", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}})
    for check in (
        lambda: contract.validate_arguments({"a": first}),
        lambda: contract.validate_arguments_json(json.dumps({"a": first})),
        lambda: contract.validate_result({"content": [], "structuredContent": {"a": first}}),
        lambda: contract.validate_result_json(json.dumps({"content": [], "structuredContent": {"a": first}})),
    ):
        with pytest.raises(NotJsonError, match="half"):
            check()
