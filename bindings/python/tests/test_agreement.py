"""All ways to ask one question agree: verdicts and errors, of values and of text.

    python tests/test_agreement.py 100000     compares so many pairs of a schema and a value
"""

import enum
import json
import random
import sys
from collections import OrderedDict

from toolsure import NotJsonError, UndecidedError, ValidationError, Validator, kinds

NAMES = ["a", "b", "c", "é", "", "a/b", "~"]
SHARED = {"n": [1, 1.0, "x"], "s": "x"}


class Name(str):
    pass


class Word(str, enum.Enum):
    A = "a"


class Number(enum.IntEnum):
    ONE = 1


class Members(dict):
    pass


def value(chance, depth=0):
    pick = chance.random()
    if pick < 0.45 or depth > 3:
        return chance.choice(
            [None, True, False, 0, 1, -1, 2, 3, 10, 1.0, 2.5, -0.0, 1e300, 2**63, -(2**70), 10**30, "", "a", "b", "é", "🦀", "2026-11-29", Word.A, Number.ONE]
        )
    if pick < 0.5:
        return SHARED
    count = chance.randrange(4)
    if pick < 0.7:
        items = [value(chance, depth + 1) for _ in range(count)]
        if items and chance.random() < 0.3:
            # One object in two places.
            items.append(items[0])
        return tuple(items) if chance.random() < 0.3 else items
    made = {chance.choice(NAMES): value(chance, depth + 1) for _ in range(count)}
    if chance.random() < 0.1:
        made = {Name(name): item for name, item in made.items()}
    return chance.choice([dict, dict, dict, Members, OrderedDict])(made)


def schema(chance, depth=0):
    if depth > 3 or chance.random() < 0.08:
        return chance.choice([True, {}, {}, False, {"$ref": "#"}])
    inner = lambda: schema(chance, depth + 1)  # noqa: E731
    plain = lambda: json.loads(json.dumps(value(chance, 3)))  # noqa: E731
    keywords = {
        "type": lambda: chance.choice(["null", "boolean", "integer", "number", "string", "array", "object", ["integer", "object"]]),
        "const": plain,
        "enum": lambda: [plain() for _ in range(3)],
        "minimum": lambda: chance.choice([0, 1, 2.5, 2**64]),
        "maximum": lambda: chance.choice([0, 1, 2.5, 2**64]),
        "multipleOf": lambda: chance.choice([1, 0.5, 3]),
        "minLength": lambda: 1,
        "maxLength": lambda: 1,
        "pattern": lambda: chance.choice(["^a", "é", "^$", "[0-9]{2}"]),
        "format": lambda: chance.choice(["date", "uri", "ipv4"]),
        "minItems": lambda: 1,
        "maxItems": lambda: 2,
        "uniqueItems": lambda: True,
        "items": inner,
        "prefixItems": lambda: [inner(), inner()],
        "contains": inner,
        "maxContains": lambda: 1,
        "properties": lambda: {name: inner() for name in chance.sample(NAMES, 2)},
        "patternProperties": lambda: {"^[ab]": inner()},
        "additionalProperties": inner,
        "propertyNames": lambda: {"maxLength": 1},
        "required": lambda: chance.sample(NAMES, 1),
        "minProperties": lambda: 1,
        "maxProperties": lambda: 2,
        "dependentRequired": lambda: {"a": ["b"]},
        "allOf": lambda: [inner(), inner()],
        "anyOf": lambda: [inner(), inner()],
        "oneOf": lambda: [inner(), inner()],
        "not": inner,
        "if": inner,
        "then": inner,
        "else": inner,
        "unevaluatedProperties": inner,
        "unevaluatedItems": inner,
    }
    return {name: keywords[name]() for name in chance.sample(list(keywords), chance.randrange(1, 4))}


def outcome(ask):
    try:
        return ask()
    except UndecidedError:
        return "undecided"
    except NotJsonError:
        return "not json"


def raising(validate):
    try:
        validate()
    except ValidationError as error:
        return shown(one for one in error.errors if one.kind != kinds.Incomplete()), error.complete
    return [], True


def shown(errors):
    return [(one.instance_path, one.schema_path, one.keyword, one.message, one.kind, one.path) for one in errors]


def listed(found):
    complete = found.complete
    errors = list(found)
    return shown(errors if complete else errors[:-1]), complete


def compare(pair_schema, one, **options):
    """Asserts that all answers are the same; returns the verdict."""
    validator = Validator(pair_schema, **options)
    text = json.dumps(one)
    verdict = outcome(lambda: validator.is_valid(one))
    assert outcome(lambda: validator.is_valid_json(text)) == verdict
    results = [outcome(lambda: validator.check(one)), outcome(lambda: validator.check_json(text))]
    lists = [outcome(lambda: listed(validator.iter_errors(one))), outcome(lambda: listed(validator.iter_errors_json(text)))]
    raised = [outcome(lambda: raising(lambda: validator.validate(one))), outcome(lambda: raising(lambda: validator.validate_json(text)))]
    flags = [outcome(lambda: validator.evaluate(one, "flag")["valid"]), outcome(lambda: validator.evaluate_json(text, "list")["valid"])]
    if verdict == "undecided":
        assert [result.verdict for result in results] == ["undecided"] * 2
        assert lists == raised == flags == ["undecided"] * 2
        return verdict
    assert [result.ok for result in results] == flags == [verdict] * 2
    assert results[0].message == results[1].message
    expected = (shown(results[0].errors), results[0].complete)
    assert (shown(results[1].errors), results[1].complete) == expected
    assert lists == raised == [expected] * 2
    assert (not expected[0] and expected[1]) == verdict
    return verdict


def run(count, seed):
    chance = random.Random(seed)
    verdicts = {}
    for index in range(count):
        pair_schema, one = schema(chance), value(chance)
        options = {"formats": True} if chance.random() < 0.5 else {}
        if chance.random() < 0.05:
            options["limits"] = {"fuel": chance.choice([1, 5, 20])}
        if chance.random() < 0.1:
            options["default_dialect"] = chance.choice(["draft4", "draft7", "2019-09"])
            options["strictness"] = "lenient"
        try:
            verdict = compare(pair_schema, one, **options)
        except ValueError:
            # The schema does not compile, such as a reference to itself.
            verdict = "no schema"
        except AssertionError as error:
            raise AssertionError(f"pair {index} of seed {seed}: {pair_schema!r} {one!r} {options!r}: {error}") from error
        verdicts[verdict] = verdicts.get(verdict, 0) + 1
    return verdicts


def test_all_ways_agree():
    verdicts = run(3000, 36)
    assert verdicts[True] > 400
    assert verdicts[False] > 400
    assert verdicts["undecided"] > 10


if __name__ == "__main__":
    print(run(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1))
