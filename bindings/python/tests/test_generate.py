"""Instances of schemas."""

import dataclasses
import json

import pytest

import toolsure
from toolsure import NotJsonError, SchemaError, Validator

ORDER = {
    "type": "object",
    "properties": {"size": {"type": "integer", "minimum": 1, "maximum": 5}, "note": {"enum": ["a", None]}},
    "required": ["size"],
    "additionalProperties": False,
}


@pytest.mark.parametrize("schema", [ORDER, json.dumps(ORDER), json.dumps(ORDER).encode()])
def test_instances(schema):
    made = toolsure.generate(schema)
    validator = Validator(schema)
    assert [one.value for one in made.valid[:2]] == [{"size": 1}, {"size": 1, "note": "a"}]
    assert made.valid[0].purpose == "as little as possible"
    assert all(validator.is_valid(one.value) for one in made.valid)
    for one in made.invalid:
        (error,) = validator.check(one.value).errors
        assert (error.keyword, error.schema_path) == (one.keyword, one.keyword_location)
        assert (error.instance_path, error.message) == (one.instance_location, one.message)
    assert {one.keyword for one in made.invalid} == {"type", "minimum", "maximum", "enum", "required", "additionalProperties"}
    assert (made.missing, made.satisfiable, made.proof) == ((), True, None)
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.valid = ()


def test_options():
    made = toolsure.generate(ORDER, valid=1, invalid=2)
    assert (len(made.valid), len(made.invalid)) == (1, 2)
    assert toolsure.generate(ORDER, valid=0).satisfiable is True
    assert toolsure.generate(ORDER) == toolsure.generate(ORDER, seed=1, valid=None, invalid=2000)
    assert all(isinstance(one.value, dict) for one in toolsure.generate({}, objects=True).valid)
    assert any(not isinstance(one.value, dict) for one in toolsure.generate({}).valid)
    assert toolsure.generate({"type": "string"}, objects=True).satisfiable is False
    date = {"type": "string", "format": "date"}
    assert not [one for one in toolsure.generate(date).invalid if one.keyword == "format"]
    assert [one for one in toolsure.generate(date, formats=True).invalid if one.keyword == "format"]
    for options in ({"seed": -1}, {"valid": 1.5}, {"invalid": "1"}, {"objects": 1}, {"formats": "yes"}, {"x": 1}):
        with pytest.raises(ValueError):
            toolsure.generate(ORDER, **options)


def test_what_is_missing():
    made = toolsure.generate({"type": "string", "minLength": 5, "maxLength": 3})
    assert (made.valid, made.satisfiable) == ((), False)
    assert made.proof
    assert {(one.location, one.valid) for one in made.missing} == {("/minLength", False), ("/maxLength", False)}


@pytest.mark.parametrize(
    ("schema", "options"),
    [
        ({"type": "strng"}, {}),
        ('{"type": "strng"}', {}),
        ("{", {}),
        (None, {}),
        ([1], {}),
        (ORDER, {"limits": {"schema_nodes": 9}}),
        ({"const": 10**6000}, {}),
        (json.dumps(ORDER), {"limits": {"schema_bytes": 9}}),
        ({"const": float("nan")}, {}),
        ("\ud800", {}),
    ],
)
def test_errors_are_those_of_a_validator(schema, options):
    errors = []
    for make in (toolsure.generate, Validator):
        with pytest.raises((SchemaError, NotJsonError)) as caught:
            make(schema, **options)
        errors.append((type(caught.value), str(caught.value), vars(caught.value)))
    assert errors[0] == errors[1]
