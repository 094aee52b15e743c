// The package as its users have it: verdicts, errors, values that JSON does not have, memory.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';

import * as full from '@toolsure/validator';
import * as lean from '@toolsure/validator/lean';

const { InputError, SchemaError, ToolsureJsonSchemaValidator, UndecidedError, Validator } = full;
const require = createRequire(import.meta.url);

const order = {
  type: 'object',
  properties: { id: { type: 'integer', minimum: 1 }, state: { enum: ['open', 'closed'] } },
  required: ['id'],
  additionalProperties: false,
};

for (const [build, { Validator }] of Object.entries({ full, lean })) {
  test(`${build}: three verdicts`, () => {
    const validator = new Validator(order);
    assert.deepEqual(validator.validate({ id: 7 }), { verdict: 'valid' });
    const result = validator.validateText('{"id": 0, "state": "opn"}');
    assert.equal(result.verdict, 'invalid');
    assert.equal(result.complete, true);
    assert.deepEqual(
      result.errors.map((error) => [error.instancePath, error.schemaPath, error.keyword, error.kind.name, error.start]),
      [
        ['/id', '/properties/id/minimum', 'minimum', 'minimum', 7],
        ['/state', '/properties/state/enum', 'enum', 'enum', 19],
      ],
    );
    assert.deepEqual(result.errors[0].kind, {
      name: 'minimum',
      limit: '1',
      exclusive: false,
      found: { type: 'number', text: '0' },
    });
    assert.match(result.message, /expected at least 1/);
    const poor = new Validator({ uniqueItems: true }, { limits: { fuel: 3 } });
    const undecided = poor.validate([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert.equal(undecided.verdict, 'undecided');
    assert.equal(undecided.setting, 'limits.fuel');
    assert.match(undecided.message, /undecided after 3 units/);
  });
}

test('an undecided check is never a boolean', () => {
  const poor = new Validator({ uniqueItems: true }, { limits: { fuel: 3 } });
  const long = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  assert.throws(() => poor.isValid(long), (error) => error instanceof UndecidedError && error.setting === 'limits.fuel');
  assert.throws(() => poor.isValidText(JSON.stringify(long)), UndecidedError);
  assert.equal(poor.isValid(1), true);
});

test('text is a string or bytes, read strictly', () => {
  const validator = new Validator({ type: 'string', minLength: 2 });
  assert.equal(validator.isValidText('"é😀"'), true);
  assert.equal(validator.isValidText(new TextEncoder().encode('"é😀"')), true);
  assert.equal(validator.isValidText(new TextEncoder().encode('"é"').buffer), false);
  for (const text of ['', '{', '"a" x', '{"a":1,"a":2}', '01', '"\ud800"', '"\\ud800"']) {
    assert.throws(() => validator.validateText(text), (error) => error instanceof InputError && error.code === 'json', text);
  }
  assert.throws(() => validator.validateText(new Uint8Array([0x22, 0xff, 0x22])), InputError);
  assert.throws(() => validator.validateText(7), TypeError);
  const duplicate = () => validator.validateText('{"a":1,"a":2}');
  assert.throws(duplicate, (error) => error.offset === 7);
});

test('a value that JSON does not have has no verdict', () => {
  const anything = new Validator(true);
  class Point {
    x = 1;
  }
  const cycle = {};
  cycle.self = cycle;
  const cases = [
    [NaN, ''],
    [[1, Infinity], '/1'],
    [undefined, ''],
    [[undefined], '/0'],
    [new Array(2), '/0'],
    [{ a: { 'b/~': 10n } }, '/a/b~1~0'],
    [{ f() {} }, '/f'],
    [Symbol('s'), ''],
    [{ at: new Date(0) }, '/at'],
    [{ toJSON: () => 5 }, ''],
    [{ a: [Object.defineProperty({ b: 1 }, 'toJSON', { value: () => 5 })] }, '/a/0'],
    [Object.assign(Object.create(null, { toJSON: { value: () => 5 } }), { a: 1 }), ''],
    [[Object.assign([1], { toJSON: () => 5 })], '/0'],
    [new Map(), ''],
    [new Set([1]), ''],
    [new Uint8Array(1), ''],
    [new Point(), ''],
    [Object.create({ inherited: 1 }), ''],
    [new String('s'), ''],
    [cycle, '/self'.repeat(1000)],
  ];
  for (const [value, path] of cases) {
    const refused = (error) => error instanceof InputError && error.code === 'not-json' && error.instancePath === path;
    assert.throws(() => anything.validate(value), refused, String(path));
    assert.throws(() => anything.isValid(value), refused);
  }
  assert.throws(() => anything.validate({ a: 'x\ud83d' }), InputError);
  assert.equal(new Validator({ required: ['toJSON'] }).isValid({ toJSON: 5 }), true);
  // JSON.stringify would write all objects by this function.
  Object.defineProperty(Object.prototype, 'toJSON', { value: () => 'x', configurable: true });
  try {
    for (const value of [{ a: 1 }, [{}], [1]]) assert.throws(() => anything.isValid(value), /with toJSON is not a JSON value/);
  } finally {
    delete Object.prototype.toJSON;
  }
});

test('halves of surrogate pairs are refused wherever they could decide', () => {
  const [first, second] = ['\ud83d', '\ud83e'];
  for (const [schema, value] of [
    [{ enum: ['\ufffd'] }, first],
    [{ const: { a: '\ufffd' } }, { a: first }],
    [{ uniqueItems: true }, [first, second]],
    [true, { [first]: 1, [second]: 2 }],
    [{ required: ['\ufffd'] }, { [first]: 1 }],
  ]) {
    const validator = new Validator(schema);
    const text = JSON.stringify(value);
    const refused = (error) => error instanceof InputError && error.code === 'json' && /half of a surrogate pair/.test(error.message);
    for (const check of [
      () => validator.isValid(value),
      () => validator.validate(value),
      () => validator.isValidText(text),
      () => validator.validateText(JSON.parse(`"${text.replaceAll('"', '\\"')}"`)),
    ]) {
      assert.throws(check, refused, text);
    }
  }
  assert.throws(() => new Validator({ enum: [first] }), (error) => error instanceof SchemaError && error.code === 'json');
  assert.throws(() => new Validator(`{"enum":["${first}"]}`), InputError);
  assert.throws(() => new Validator(true, { documents: { 'urn:a': `{"enum":["${first}"]}` } }), SchemaError);
});

test('plain values are what JSON.stringify writes', () => {
  const text = new Validator({ type: 'object', properties: { a: { const: 'q"\\\n\u2028é😀' } }, required: ['a'] });
  assert.equal(text.isValid({ a: 'q"\\\n\u2028é😀' }), true);
  const closed = new Validator({ additionalProperties: false });
  assert.equal(closed.isValid({ gone: undefined }), true);
  assert.equal(new Validator({ required: ['gone'] }).isValid({ gone: undefined }), false);
  assert.equal(new Validator({ required: ['__proto__'] }).isValid(JSON.parse('{"__proto__": 1}')), true);
  assert.equal(new Validator({ required: ['a'] }).isValid(Object.assign(Object.create(null), { a: 1 })), true);
  assert.equal(new Validator({ required: ['a'] }).isValid(vm.runInNewContext('({a: [1]})')), true);
  assert.equal(new Validator({ const: 0 }).isValid(-0), true);
  assert.equal(new Validator({ const: 1e21 }).isValid(1e21), true);
  assert.equal(new Validator({ const: 5e-324 }).isValid(5e-324), true);
});

test('a value that grows without end ends at the limit', () => {
  let value = 'xxxxxxxxxxxxxxxx';
  for (let level = 0; level < 60; level++) value = [value, value];
  const validator = new Validator(true, { limits: { instance: { bytes: '64KiB' } } });
  assert.throws(() => validator.validate(value), (error) => error.code === 'limit' && error.setting === 'limits.instance.bytes');
});

test('numbers of text are exact', () => {
  const validator = new Validator('{"const": 9007199254740993}');
  assert.equal(validator.isValidText('9007199254740993'), true);
  assert.equal(validator.isValidText('9007199254740992'), false);
});

test('schemas that may not exist say why', () => {
  const refused = [
    ['{"type": "strng"}', 'invalid-schema', '/type', /did you mean `string`/],
    [{ $ref: '#/$defs/gone' }, 'unresolved-ref', '/$ref', undefined],
    [{ $ref: 'https://example.com/a' }, 'ref-denied', '/$ref', /nothing is ever fetched/],
    [{ pattern: '(' }, 'pattern', '/pattern', undefined],
    ['{', 'json', '', undefined],
    [{ minimum: NaN }, 'json', '/minimum', undefined],
    [undefined, 'json', '', undefined],
  ];
  for (const [schema, code, path, help] of refused) {
    assert.throws(
      () => new Validator(schema),
      (error) => {
        assert.ok(error instanceof SchemaError, String(error));
        assert.equal(error.code, code);
        assert.equal(error.schemaPath, path);
        if (help) assert.match(error.help, help);
        return true;
      },
    );
  }
});

test('options have the names of the settings', () => {
  const date = { format: 'date' };
  assert.equal(new Validator(date).isValid('no'), true);
  assert.equal(new Validator(date, { formats: 'assert' }).isValid('no'), false);
  const documents = { 'https://example.com/id': { type: 'integer' } };
  const schema = { $ref: 'https://example.com/id' };
  assert.equal(new Validator(schema, { documents }).isValid('x'), false);
  const tuple = { items: [{ type: 'string' }] };
  assert.equal(new Validator(tuple, { dialect: 'draft7' }).isValid([1]), false);
  const lenient = new Validator({ type: 'strng', minLength: 2 }, { strictness: 'lenient' });
  assert.equal(lenient.isValid('a'), false);
  assert.deepEqual(lenient.warnings.map((warning) => warning.schemaPath), ['/type']);
  for (const options of [{ format: 'assert' }, { limits: { feul: 1 } }, { formats: 'yes' }, 5, { formats: () => 1 }]) {
    assert.throws(() => new Validator(date, options), (error) => error instanceof SchemaError && error.code === 'option');
  }
});

test('the lean build refuses what it has no tables for, or has it as an annotation', () => {
  for (const pattern of ['\\p{L}', '(?i:a)', '(?<é>a)']) {
    assert.equal(new Validator({ pattern }).isValid('aé'), true);
    assert.throws(() => new lean.Validator({ pattern }), (error) => error.code === 'pattern' && /without a table here/.test(error.message));
  }
  assert.equal(new lean.Validator({ pattern: '^\\p{ASCII}\\w\\d$' }).isValid('aa1'), true);
  for (const format of ['hostname', 'idn-hostname', 'idn-email', 'regex']) {
    assert.equal(new Validator({ format }, { formats: 'assert' }).isValid('-('), false, format);
    assert.equal(new lean.Validator({ format }, { formats: 'assert' }).isValid('-('), true, format);
  }
  assert.equal(new lean.Validator({ format: 'email' }, { formats: 'assert' }).isValid('no'), false);
  assert.equal('lint' in lean || 'ToolContract' in lean, false);
});

test("the provider answers as the SDK's own do", () => {
  const provider = new ToolsureJsonSchemaValidator();
  const check = provider.getValidator(order);
  const data = { id: 3 };
  assert.deepEqual(check(data), { valid: true, data, errorMessage: undefined });
  const wrong = check({ id: 0 });
  assert.equal(wrong.valid, false);
  assert.equal(wrong.data, undefined);
  assert.match(wrong.errorMessage, /id/);
  assert.equal(check({ id: NaN }).valid, false);
  const bad = provider.getValidator({ $ref: '#/$defs/gone' });
  assert.match(bad({}).errorMessage, /^the schema cannot be used: /);
  const strict = new ToolsureJsonSchemaValidator({ uncompilable: 'throw' });
  assert.throws(() => strict.getValidator({ $ref: '#/$defs/gone' }), SchemaError);
  const poor = new ToolsureJsonSchemaValidator({ limits: { fuel: 1 } }).getValidator({ uniqueItems: true });
  assert.match(poor([1, 2, 3]).errorMessage, /undecided/);
  // Two schemas with one $id are two schemas.
  const [text, number] = ['string', 'number'].map((type) => provider.getValidator({ $id: 'https://example.com/x', type }));
  assert.deepEqual([text('s').valid, number('s').valid, number(5).valid], [true, false, true]);
});

test('import and require share one module', () => {
  assert.equal(require('@toolsure/validator').Validator, Validator);
  assert.equal(require('@toolsure/validator/lean').Validator, lean.Validator);
});

test('the entries of every runtime are modules', () => {
  const dist = fileURLToPath(new URL('../dist', import.meta.url));
  const entries = readdirSync(dist).filter((name) => /\.[cm]js$/.test(name));
  assert.equal(entries.length, 8);
  for (const name of entries) execFileSync(process.execPath, ['--check', `${dist}/${name}`]);
});

test('a validator that was disposed of checks nothing', () => {
  const first = new Validator({ type: 'string' });
  first.dispose();
  first.dispose();
  const second = new Validator({ type: 'number' });
  assert.throws(() => first.isValid('s'), TypeError);
  assert.equal(second.isValid(5), true);
});
