"""Exceptions: their members, copies, memory, and the names that people of `jsonschema` know."""

import copy
import gc
import json
import pickle
import resource
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

import toolsure
from toolsure import (
    ContractError,
    NotJsonError,
    SchemaError,
    ToolContract,
    ToolsureError,
    UndecidedError,
    ValidationError,
    Validator,
    best_match,
    kinds,
)

SCHEMA = {
    "type": "object",
    "properties": {"limit": {"type": "integer", "maximum": 100}, "tags": {"items": {"enum": ["red", "blue"]}}},
    "required": ["query"],
}
VALUE = {"limit": 200, "tags": ["red", "bleu"]}
TOOL = {"name": "find", "inputSchema": SCHEMA, "outputSchema": {"type": "object"}}

RAISING = {
    "validation": lambda: Validator(SCHEMA).validate(VALUE),
    "validation of text": lambda: Validator(SCHEMA).validate_json(json.dumps(VALUE)),
    "incomplete": lambda: Validator(SCHEMA).validate(VALUE, max_errors=1),
    "a name": lambda: Validator({"propertyNames": {"maxLength": 1}}).validate({"long": 1}),
    "never": lambda: Validator(False).validate(1),
    "masked": lambda: Validator(SCHEMA, mask="***").validate(VALUE),
    "schema": lambda: Validator('{"properties": {"a": {"type": "strng"}}}'),
    "denied": lambda: Validator({"$ref": "https://example.com/a#b"}),
    "limit": lambda: Validator({"items": {"items": {}}}, limits={"depth": 1}),
    "undecided": lambda: Validator({"items": {"type": "integer"}}, limits={"fuel": 10}).validate([1] * 1000),
    "not json": lambda: Validator(SCHEMA).validate({"limit": {1}}),
    "not json text": lambda: Validator(SCHEMA).validate_json(b'{"a": 1,}'),
    "contract": lambda: ToolContract(TOOL).validate_arguments(VALUE),
    "definition": lambda: ToolContract({"name": "x", "inputSchema": {"type": "array"}}),
    "uncompilable": lambda: ToolContract({"name": "x", "inputSchema": {"type": "object", "$ref": "#/a"}}),
}


def raised(work):
    with pytest.raises(ToolsureError) as error:
        work()
    return error.value


def members(error):
    """All public members, also of the errors in it."""
    found = {"str": str(error), "repr": repr(error), "type": type(error)}
    for name in dir(error):
        value = getattr(error, name)
        if name.startswith("_") or callable(value):
            continue
        if name == "errors":
            value = [members(one) if one is not error else None for one in value]
        found[name] = value
    return found


@pytest.mark.parametrize("name", RAISING)
def test_copies_have_all_members(name):
    error = raised(RAISING[name])
    error.add_note("a note") if hasattr(error, "add_note") else None
    before = members(error)
    if name == "masked":
        # What is hidden does not leave the process.
        assert "200" not in pickle.dumps(error).decode("latin-1")
        before["instance"] = None
        for inner in before["errors"][1:]:
            inner["instance"] = None
    for again in (
        *(pickle.loads(pickle.dumps(error, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)),
        copy.copy(error),
        copy.deepcopy(error),
        pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(error)))),
    ):
        after = members(again)
        assert after.keys() == before.keys()
        for member, value in before.items():
            assert after[member] == value, member


def in_a_pool(name):
    RAISING[name]()


def test_errors_cross_a_process_pool():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        for name in RAISING:
            with pytest.raises(ToolsureError) as error:
                pool.submit(in_a_pool, name).result(timeout=60)
            assert str(error.value) == str(raised(RAISING[name])), name
        # The pool is not broken.
        assert pool.submit(int, "3").result() == 3


def test_pickles_of_other_versions():
    for name in ("validation", "schema", "undecided"):
        error = raised(RAISING[name])
        function, arguments, *state = error.__reduce__()
        # A newer version has more members, and an older one fewer.
        if isinstance(error, ValidationError):
            kind, finding, others = arguments
            newer = function(kind, finding | {"added": 1}, others)
            assert (newer.instance_path, newer.keyword) == (error.instance_path, error.keyword)
            older = function(kind, {"message": "m", "keyword": "type"}, ())
            assert (str(older), older.keyword, older.instance_path, older.start) == ("m", "type", "", None)
            assert older.kind == kinds.Incomplete()
        else:
            older = function(*arguments)
            assert str(older) and older.setting is None
            newer = function(*arguments)
            newer.__setstate__((state[0] if state else {}) | {"added": 1})
            assert newer.message == error.message


def test_no_error_is_in_a_cycle():
    validator, contract = Validator(SCHEMA), ToolContract(TOOL)

    def work():
        for ask in (validator.validate, contract.validate_arguments):
            try:
                ask(VALUE)
            except ToolsureError as error:
                assert len(error.errors) == 3
        for error in validator.iter_errors(VALUE):
            assert error.errors == (error,)
            assert error.kind

    def size():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    gc.collect()
    gc.disable()
    try:
        for _ in range(1000):
            work()
        before, objects = size(), len(gc.get_objects())
        for _ in range(2_000):
            work()
        assert size() - before < 4_096
        assert len(gc.get_objects()) - objects < 1_000
    finally:
        gc.enable()


def test_a_list_says_that_it_stops():
    validator, value = Validator({"items": {"type": "integer"}}), ["x"] * 500
    for most, count in ((None, 100), (1, 1), (7, 7), (150, 150), (499, 499), (500, 500), (1_000, 500)):
        options = {} if most is None else {"max_errors": most}
        for found in (validator.iter_errors(value, **options), validator.iter_errors_json(json.dumps(value), **options)):
            complete = found.complete
            errors = list(found)
            assert complete == (count == 500), most
            assert len(errors) == count + (not complete)
            assert isinstance(errors[-1].kind, kinds.Incomplete) != complete
            assert all(error.keyword == "type" for error in errors[:count])
        result = validator.check(value, **options)
        assert (len(result.errors), result.complete) == (count, complete)
        with pytest.raises(ValidationError) as error:
            validator.validate(value, **options)
        assert (len(error.value.errors), error.value.complete) == (count, complete)
    assert "more errors may follow" in str(errors_of(validator, value)[-1])
    # A validator that was asked for few errors gives all to the next.
    list(validator.iter_errors(value, max_errors=1))
    assert len(errors_of(validator, value[:50])) == 50


def errors_of(validator, value):
    return list(validator.iter_errors(value))


def test_schemas_over_a_limit():
    deep = leaf = {}
    for _ in range(600):
        leaf["default"] = [{}]
        leaf = leaf["default"][0]
    for schema, setting in (
        (deep, "limits.schema_nesting"),
        ({"enum": [0] * 600_000}, "limits.schema_nodes"),
        ({"maximum": 10**5000}, "limits.schema_digits"),
        ({"$comment": "x" * (2 << 20)}, "limits.schema_bytes"),
    ):
        for make in (Validator, lambda schema: Validator(True, documents={"https://example.com/a": schema})):
            with pytest.raises(SchemaError) as refused:
                make(schema)
            assert (refused.value.code, refused.value.setting) == ("limit", setting)
            assert setting in refused.value.help
    own = {}
    own["not"] = own
    with pytest.raises(SchemaError):
        Validator(own)


def test_schema_errors():
    error = raised(RAISING["schema"])
    assert (error.code, error.schema_path, error.help) == ("invalid-schema", "/properties/a/type", "did you mean `string`?")
    assert (error.offset, error.document, error.setting, error.denied_uri) == (30, "", None, None)
    error = raised(RAISING["denied"])
    assert (error.code, error.denied_uri, error.offset) == ("ref-denied", "https://example.com/a", None)
    error = raised(RAISING["limit"])
    assert (error.code, error.setting) == ("limit", "limits.depth")
    assert isinstance(error, ValueError)


def test_huge_integers_are_bounded_before_they_are_printed():
    import time

    for value in (10**4095, -(10**4095)):
        assert Validator({"type": "integer"}).is_valid(value)
    begun = time.process_time()
    for value in (10**4096, -(10**4096), 1 << 20_000_000):
        assert Validator({"type": "integer"}).check(value).setting == "limits.instance.digits"
    assert time.process_time() - begun < 1
    # Python's own limit is the lower one.
    result = Validator({"type": "integer"}, limits={"instance.digits": 60_000}).check(10**50_000)
    assert result.verdict == "undecided"
    assert "set_int_max_str_digits" in result.message


def test_names_that_jsonschema_has():
    validator = Validator({"properties": {"a": {"items": {"minimum": 3}}, "1": {"type": "null"}}, "required": ["b"]})
    for errors in (
        list(validator.iter_errors({"a": [5, 2], "1": 0})),
        list(validator.iter_errors_json('{"a": [5, 2], "1": 0}')),
    ):
        by = {error.validator: error for error in errors}
        assert by["minimum"].path == by["minimum"].absolute_path == deque(["a", 1])
        assert by["type"].path == deque(["1"])
        assert (by["minimum"].validator_value, by["minimum"].instance) == (3, 2)
        assert by["required"].validator_value == ["b"]
        assert by["required"].instance == {"a": [5, 2], "1": 0}
        assert best_match(errors) is by["required"]
        assert by["minimum"].args == (by["minimum"].message,)
    assert best_match([]) is None
    assert list(Validator({"items": {"type": "null"}}).iter_errors([1, 1]))[1].path == deque([1])
    [error] = Validator({"propertyNames": {"maxLength": 1}}).iter_errors({"long": 1})
    assert (error.property_name, error.instance, error.path) == ("long", "long", deque())
    value = {"a": ["x"]}
    [error] = Validator({"properties": {"a": {"items": {"type": "null"}}}}).iter_errors(value)
    value["a"] = 5
    assert error.instance is None
    # The keyword is in another document.
    remote = Validator({"$ref": "https://example.com/a"}, documents={"https://example.com/a": {"type": "null"}})
    assert next(remote.iter_errors(1)).validator_value is None


def test_errors_that_programs_make():
    error = ValidationError("mine")
    assert (str(error), error.keyword, error.errors) == ("mine", "", (error,))
    assert str(pickle.loads(pickle.dumps(error))) == "mine"
    for kind in (SchemaError, UndecidedError, NotJsonError, ContractError):
        assert str(kind("mine")) == "mine"


def test_module_functions():
    schema = {"type": "integer"}
    assert toolsure.is_valid(3, schema)
    assert not toolsure.is_valid(instance="x", schema=schema)
    with pytest.raises(ValidationError):
        toolsure.validate("x", schema)
    assert [error.keyword for error in toolsure.iter_errors("x", schema)] == ["type"]
    schema["type"] = "string"
    assert toolsure.is_valid("x", schema)
    assert not toolsure.is_valid("x", {"format": "date"}, formats=True)
    assert toolsure.is_valid("x", {"format": "date"})
    # `jsonschema-rs` has the schema first.
    with pytest.raises(SchemaError):
        toolsure.is_valid(schema, ["x"])
    for index in range(1000):
        toolsure.is_valid(1, {"minimum": index})
    cache = toolsure._functions._compiled
    assert cache.cache_info().currsize <= 128
    hits = cache.cache_info().hits
    assert toolsure.is_valid(1, {"minimum": 999}) == toolsure.is_valid(1, '{"minimum":999}') is False
    assert cache.cache_info().hits == hits + 2
    with pytest.raises(UndecidedError):
        toolsure.is_valid([1] * 1000, {"items": {"type": "integer"}}, limits={"fuel": 10})


def test_masks():
    value = {"secret": "hunter2", "kind": "hunter2", "n": 12345}
    schema = {
        "properties": {
            "secret": {"enum": ["a"], "minLength": 9, "pattern": "^x", "const": "b", "type": "null"},
            "n": {"maximum": 1, "multipleOf": 7, "not": {}},
            "kind": {"anyOf": [{"type": "null"}, {"const": "k"}]},
        },
        "oneOf": [{"properties": {"kind": {"const": "k1"}}}, {"properties": {"kind": {"const": "k2"}}}],
    }
    for given in (value, json.dumps(value)):
        validator = Validator(schema, mask="[hidden]")
        ask = (validator.check, validator.iter_errors) if given is value else (validator.check_json, validator.iter_errors_json)
        result, errors = ask[0](given), list(ask[1](given))
        shown = [result.message, *map(str, errors), *map(str, result.errors), *(repr(error.kind) for error in errors)]
        assert len(errors) >= 8
        for text in shown:
            assert "hunter2" not in text
            assert "12345" not in text
        assert any("[hidden]" in text for text in shown)


def test_evaluate_and_annotations():
    validator = Validator({"properties": {"a": {"title": "A", "default": 1, "type": "integer"}}})
    assert validator.evaluate({"a": 1}, "flag") == {"valid": True}
    assert validator.evaluate_json('{"a": "x"}', "flag") == {"valid": False}
    for output in ("basic", "detailed", "verbose", "list", "hierarchical"):
        assert validator.evaluate({"a": 1}, output)["valid"] is True
        assert validator.evaluate({"a": "x"}, output)["valid"] is False
        assert validator.evaluate_json('{"a": "x"}', output) == validator.evaluate({"a": "x"}, output)
    assert validator.evaluate({"a": 1.0}, "flag") == {"valid": True}
    old = Validator({"type": "integer"}, dialect="draft4")
    assert [old.is_valid(1.0), old.check(1.0).ok, old.evaluate(1.0)["valid"], old.check(1e30).ok] == [False] * 4
    with pytest.raises(ValueError, match="unknown output format"):
        validator.evaluate(1, "short")
    for found in (validator.annotations({"a": 1}), validator.annotations_json('{"a": 1}')):
        said = {one.keyword: one for one in found}
        assert (said["title"].value, said["default"].value, said["title"].instance_path) == ("A", 1, "/a")
        assert said["title"].absolute_schema_path == "#/properties/a"
    assert validator.annotations({"a": "x"}) == ()
    starved = Validator({"items": {"type": "integer"}}, limits={"fuel": 10})
    for ask in (starved.evaluate, starved.annotations):
        with pytest.raises(UndecidedError):
            ask([1] * 1000)
    for ask in (validator.evaluate, validator.annotations):
        with pytest.raises(NotJsonError):
            ask({"a": {1}})


def test_texts_that_may_change():
    validator = Validator({"items": {"type": "integer"}})
    for make in (bytes, bytearray, memoryview):
        assert validator.is_valid_json(make(b"[1]"))
        assert not validator.is_valid_json(make(b'["x"]'))
    assert validator.is_valid_json(memoryview(b"[1, 2, 3]  ")[::1])
    assert validator.is_valid_json(memoryview(b"[01]x")[0:2].tobytes() + b"]")
    given = bytearray(b'["x"]')
    [error] = validator.iter_errors_json(given)
    given[:] = b"[1234567]"
    assert (error.instance, error.start, error.end) == ("x", 1, 4)
    [error] = validator.iter_errors_json('["é", 1]'.replace("é", "é"))
    assert (error.start, error.end, error.instance) == (1, 5, "é")
    assert Validator(memoryview(b'{"type": "null"}')).is_valid(None)


def test_refusing_a_value_may_run_python_code():
    validator = Validator({"items": {"type": "integer"}})

    class Curious(type):
        @property
        def __name__(cls):
            assert validator.check(["x"]).verdict == "invalid"
            assert validator.check([10**30]).ok
            return "Odd"

    class Odd(metaclass=Curious):
        pass

    with pytest.raises(NotJsonError) as refused:
        validator.is_valid([1, Odd()])
    assert refused.value.instance_path == "/1"


def test_best_match_is_an_error_of_the_value():
    errors = list(Validator({"items": {"type": "integer"}}).iter_errors(["a"] * 200))
    assert isinstance(errors[-1].kind, kinds.Incomplete)
    assert best_match(errors).keyword == "type"


def test_a_mask_hides_values_from_output_formats_too():
    masked = Validator({"type": "integer"}, mask="#")
    for evaluate, value in [(masked.evaluate, "SECRET"), (masked.evaluate_json, '"SECRET"')]:
        with pytest.raises(ValueError, match="no output formats"):
            evaluate(value, "basic")


def cyclic():
    schema = {}
    schema["not"] = schema
    return schema


# By name: a schema that is not JSON or is over a limit, and the code and the place of the error.
UNREADABLE = {
    "NaN": ({"minimum": float("nan")}, "json", "/minimum"),
    "set": ({"items": {"enum": {1, 2}}}, "json", "/items/enum"),
    "name": ({"properties": {"a": {}, 1: {}}}, "json", "/properties"),
    "half a pair": ({"enum": ["a", "\ud800"]}, "json", "/enum/1"),
    "half a pair in a name": ({"properties": {"a": {}, "\ud800": {}}}, "json", "/properties"),
    "half a pair in text": ('{"const": "\ud800"}', "json", ""),
    "text": ('{"minimum": NaN}', "json", ""),
    "bytes": (b'{"enum": ["\xff"]}', "json", ""),
    "cycle": (cyclic(), "limit", ""),
    "digits": ({"minimum": 10**5000}, "limit", ""),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_schema_that_is_not_read_is_a_schema_error(name):
    schema, code, place = UNREADABLE[name]
    for work in (
        lambda: Validator(schema),
        lambda: Validator({"$ref": "urn:a"}, documents={"urn:a": schema}),
        lambda: toolsure.is_valid(1, schema),
        lambda: toolsure.validate(1, schema, formats=True),
        lambda: toolsure.generate(schema),
    ):
        error = raised(work)
        assert (type(error), error.code, error.schema_path) == (SchemaError, code, place), str(error)


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_tool_that_is_not_read_is_a_contract_error(name):
    schema, code, place = UNREADABLE[name]
    if isinstance(schema, bytes):
        tool = b'{"name": "x", "inputSchema": ' + schema + b"}"
    elif isinstance(schema, str):
        tool = f'{{"name": "x", "inputSchema": {schema}}}'
    else:
        tool = {"name": "x", "inputSchema": schema}
        place = place and f"/inputSchema{place}"
    error = raised(lambda: ToolContract(tool))
    assert (type(error), error.code, error.schema_path) == (ContractError, {"json": "tool-json"}.get(code, code), place), str(error)


def test_functions_say_of_a_schema_what_a_validator_says():
    schema = {"properties": {"a": {"type": "strng"}}}
    for text in (schema, json.dumps(schema), json.dumps(schema).encode(), bytearray(json.dumps(schema).encode()), memoryview(json.dumps(schema).encode())):
        one, other = raised(lambda: Validator(text)), raised(lambda: toolsure.is_valid(1, text))
        assert (str(other), vars(other)) == (str(one), vars(one))
    assert toolsure.is_valid(1, memoryview(b'{"type": "integer"}'))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"formats": 3}, "formats must be a `str`, not `int`"),
        ({"dialect": b"draft7"}, "dialect must be a `str`, not `bytes`"),
        ({"mask": ["x"]}, "mask must be a `str`, not `list`"),
        ({"limits": [1]}, "limits must be a `dict`, not `list`"),
        ({"limits": {1: 2}}, "the name of a limit must be a `str`, not `int`"),
        ({"documents": {1: {}}}, "the URI of a document must be a `str`, not `int`"),
    ],
)
def test_an_option_of_another_type_is_named(options, message):
    with pytest.raises(TypeError) as error:
        Validator(True, **options)
    assert str(error.value) == message


def test_the_place_of_a_name_is_its_object():
    value = {"a": {"b": 1, "\ud800": 2}}
    error = raised(lambda: Validator({"properties": {"a": {"additionalProperties": {"type": "integer"}}}}).is_valid(value))
    assert (type(error), error.instance_path) == (NotJsonError, "/a")
