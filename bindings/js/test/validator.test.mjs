// The package as its users have it: verdicts, errors, values that JSON does not have, memory.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';

import * as full from '@toolsure/validator';
import * as lean from '@toolsure/validator/lean';

const { NotJsonError, SchemaError, ToolsureJsonSchemaValidator, UndecidedError, Validator } = full;
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
    assert.deepEqual(validator.check({ id: 7 }), { verdict: 'valid' });
    const result = validator.checkText('{"id": 0, "state": "opn"}');
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
    const undecided = poor.check([1, 2, 3, 4, 5, 6, 7, 8, 9]);
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
    assert.throws(() => validator.checkText(text), (error) => error instanceof NotJsonError && error.code === 'json', text);
  }
  assert.throws(() => validator.checkText(new Uint8Array([0x22, 0xff, 0x22])), NotJsonError);
  assert.throws(() => validator.checkText(7), TypeError);
  const duplicate = () => validator.checkText('{"a":1,"a":2}');
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
    [cycle, '/self'],
  ];
  for (const [value, path] of cases) {
    const refused = (error) => error instanceof NotJsonError && error.code === 'not-json' && error.instancePath === path;
    assert.throws(() => anything.check(value), refused, String(path));
    assert.throws(() => anything.isValid(value), refused);
  }
  assert.throws(() => anything.check({ a: 'x\ud83d' }), NotJsonError);
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
    const refused = (error) => error instanceof NotJsonError && /half of a surrogate pair/.test(error.message);
    for (const check of [
      () => validator.isValid(value),
      () => validator.check(value),
      () => validator.isValidText(text),
      () => validator.checkText(JSON.parse(`"${text.replaceAll('"', '\\"')}"`)),
    ]) {
      assert.throws(check, refused, text);
    }
  }
  assert.throws(() => new Validator({ enum: [first] }), (error) => error instanceof SchemaError && error.code === 'json');
  assert.throws(() => new Validator(`{"enum":["${first}"]}`), SchemaError);
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
  const { verdict, setting } = validator.check(value);
  assert.deepEqual([verdict, setting], ['undecided', 'limits.instance.bytes']);
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
  const provider = new ToolsureJsonSchemaValidator({ uncompilable: 'refuse' });
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
  const strict = new ToolsureJsonSchemaValidator();
  assert.throws(() => strict.getValidator({ $ref: '#/$defs/gone' }), SchemaError);
  const poor = new ToolsureJsonSchemaValidator({ limits: { fuel: 1 } }).getValidator({ uniqueItems: true });
  assert.match(poor([1, 2, 3]).errorMessage, /undecided/);
  // Two schemas with one $id are two schemas.
  const [text, number] = ['string', 'number'].map((type) => provider.getValidator({ $id: 'https://example.com/x', type }));
  assert.deepEqual([text('s').valid, number('s').valid, number(5).valid], [true, false, true]);
});

test('import and require share one module, and the entries share the errors', () => {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const shares = major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19);
  assert.equal(require('@toolsure/validator').Validator === Validator, shares);
  assert.equal(lean.SchemaError, SchemaError);
});

test('the entries of every runtime are modules', () => {
  const dist = fileURLToPath(new URL('../dist', import.meta.url));
  const entries = readdirSync(dist).filter((name) => /\.c?js$/.test(name));
  assert.ok(entries.length > 30, String(entries.length));
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

test('a limit that a value reaches is the third verdict', () => {
  let [deep, levels] = [1, 0];
  for (; levels < 300; levels++) deep = [deep];
  const validator = new Validator(true, { limits: { instance: { depth: 200 } } });
  for (const result of [validator.check(deep), validator.checkText(JSON.stringify(deep))]) {
    assert.deepEqual([result.verdict, result.setting], ['undecided', 'limits.instance.depth'], result.message);
  }
  assert.throws(() => validator.isValid(deep), UndecidedError);
  assert.equal(new Validator(true, { limits: { instance: { depth: 300 } } }).isValid(deep), true);
  for (; levels < 3000; levels++) deep = [deep];
  assert.throws(() => new Validator({ const: deep }), (error) => error instanceof SchemaError && error.code === 'limit');
  const nodes = new Validator(true, { limits: { instance: { nodes: 10 } } });
  assert.equal(nodes.check(new Array(20).fill(1)).setting, 'limits.instance.nodes');
});

test('a getter may check another value', () => {
  const inner = new Validator({ const: 'inner' });
  const outer = new Validator({ properties: { a: { const: 'before' }, b: { const: 'got' }, c: { const: 'after' } }, required: ['a', 'b', 'c'] });
  const value = {
    a: 'before',
    get b() {
      assert.equal(inner.isValid('inner'), true);
      assert.equal(inner.check('x'.repeat(100_000)).verdict, 'invalid');
      // Whatever writes to the memory of the module, and makes it grow.
      assert.equal(inner.isValidText('{"a":"before","b":"got","c":"after"   }'), false);
      for (let count = 0; count < 40; count++) new Validator({ enum: [`v${count}`] });
      assert.throws(() => inner.checkText('"' + 'y'.repeat(3000)), NotJsonError);
      return 'got';
    },
    c: 'after',
    get d() {
      inner.isValidText('"inner"');
      return ['AAAAA', 'AAAAA'];
    },
  };
  const wrong = { a: 99, get b() { inner.isValidText('{"a":"before","b":"got","c":"after"}'); return 'got'; }, c: 'after' };
  assert.equal(outer.isValid(wrong), false);
  assert.equal(outer.check(wrong).verdict, 'invalid');
  assert.equal(outer.isValid(value), true);
  assert.deepEqual(outer.check(value), { verdict: 'valid' });
  const gone = new Validator(true);
  const disposes = { get a() { gone.dispose(); new Validator(false); return 1; } };
  assert.throws(() => gone.isValid(disposes), TypeError);
});

test('integers of any size have their digits', () => {
  const integer = new Validator({ type: 'integer' }, { dialect: 'draft4' });
  for (const value of [1e21, -1e22, 2 ** 80, Number.MAX_VALUE]) assert.equal(integer.isValid(value), true, String(value));
  for (const value of [0.5, 1e-7, 5e-324]) assert.equal(integer.isValid(value), false, String(value));
  assert.equal(new Validator({ const: 1e21 }).isValid(1e21), true);
});

test('Standard Schema', async () => {
  const validator = new Validator(order);
  const standard = validator['~standard'];
  assert.deepEqual([standard.version, standard.vendor], [1, 'toolsure']);
  const good = { id: 3 };
  assert.equal(standard.validate(good).value, good);
  const { issues } = standard.validate({ id: 0, state: 'opn' });
  assert.deepEqual(issues.map(({ path }) => path), [['id'], ['state']]);
  const list = new Validator({ properties: { 'a/b': { items: { type: 'integer' } } } })['~standard'];
  assert.deepEqual(list.validate({ 'a/b': [1, 'x'] }).issues[0].path, ['a/b', 1]);
  assert.match(standard.validate({ id: NaN }).issues[0].message, /NaN is not a JSON value/);
  const poor = new Validator({ uniqueItems: true }, { limits: { fuel: 3 } })['~standard'];
  assert.match(poor.validate([1, 2, 3, 4, 5, 6, 7, 8, 9]).issues[0].message, /undecided/);
  assert.deepEqual(standard.jsonSchema.input({ target: 'draft-2020-12' }), order);
  assert.deepEqual(new Validator(JSON.stringify(order))['~standard'].jsonSchema.output({}), order);
});

test('the bytes that are written are those of JSON.stringify', () => {
  const odd = ['', 'a', 'é', '😀', '"', '\\', '\n', '\u0000', '\u007f', '\u2028', 'x'.repeat(31), 'x'.repeat(32), 'x'.repeat(33), 'é'.repeat(40), '"'.repeat(40), 'a'.repeat(5000), '\u0001'.repeat(3000)];
  const numbers = [0, -0, 1, 9, 10, -1, 0.1, 1e20, 123456789012, -5e-324, 1e-7];
  const values = [...odd, ...numbers, true, false, null, [], {}, [[]], [{}], { a: [] }, odd, numbers, Object.fromEntries(odd.map((name, at) => [name, numbers[at] ?? name]))];
  for (const value of values) {
    // The text is compared with the schema's, in both ways of reading; the last value is longer than the first room.
    assert.equal(new Validator(`{"const": ${JSON.stringify(value)}}`).isValid(value), true, JSON.stringify(value).slice(0, 60));
    assert.equal(new Validator(`{"const": ${JSON.stringify([value, 1])}}`).isValid([value, 1]), true);
    assert.equal(new Validator(`{"not": {"const": ${JSON.stringify({ value })}}}`).isValid({ value: [value] }), true);
  }
});

test('what is given as bytes may change afterwards', () => {
  const bytes = new TextEncoder().encode('{"type":"string"}');
  const validator = new Validator(bytes);
  bytes.fill(0x20);
  assert.deepEqual(validator['~standard'].jsonSchema.input({}), { type: 'string' });
  assert.deepEqual([new Validator(true)['~standard'].jsonSchema.input({}), new Validator(false)['~standard'].jsonSchema.input({})], [{}, { not: {} }]);
  const documents = { 'urn:a': new TextEncoder().encode('{"type":"integer"}') };
  assert.equal(new Validator({ $ref: 'urn:a' }, { documents }).isValid('x'), false);
});

test('a full stack is an error of the caller', () => {
  const validator = new Validator({ type: 'object' });
  const errors = new Set();
  const deeper = () => {
    try {
      deeper();
    } catch (error) {
      try {
        validator.isValid({});
      } catch (inner) {
        errors.add(inner.constructor.name);
      }
      throw error;
    }
  };
  assert.throws(deeper, RangeError);
  assert.equal(errors.has('InternalError'), false, [...errors].join());
  assert.equal(validator.isValid({}), true);
});

test('the entries export what their types declare', async () => {
  const lib = { full: await import('@toolsure/validator'), lean, analysis: await import('@toolsure/validator/analysis'), inline: await import('@toolsure/validator/inline'), module: await import('@toolsure/validator/module') };
  for (const [name, entry] of Object.entries(lib)) {
    const types = readFileSync(new URL(`../types/${name === 'inline' ? 'lean' : name}.d.ts`, import.meta.url), 'utf8') + (name === 'full' ? readFileSync(new URL('../types/lean.d.ts', import.meta.url), 'utf8') : '');
    const declared = (one) => new RegExp(`declare (class|function) ${one}\\b|^export \\{[^}]*\\b${one}\\b`, 'm').test(types);
    assert.deepEqual(Object.keys(entry).filter((one) => !declared(one)), [], name);
  }
  assert.equal(require('@toolsure/validator/inline').SchemaError, lib.inline.SchemaError);
  assert.equal(new SchemaError({ code: 'x', message: 'y' }).name, 'SchemaError');
});

test('documents are what they are, or are refused', () => {
  const bytes = (...parts) => Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...new TextEncoder().encode(part)] : part)));
  const refer = (documents) => new Validator({ $ref: 'urn:a' }, { documents });
  const text = bytes('{"enum":["\u{1f600}"]}');
  const shared = new Uint8Array(new SharedArrayBuffer(text.length));
  shared.set(text);
  assert.equal(refer({ 'urn:a': shared }).isValid('\u{1f600}'), true);
  for (const [documents, why] of [
    // Replaced by U+FFFD, it would be another schema.
    [{ 'urn:a': bytes('{"enum":["', 0xff, '"]}') }, /^options: the document `urn:a`: the text is not UTF-8$/],
    [{ 'urn:a': bytes(0xef, 0xbb, 0xbf, '{}') }, /byte order mark/],
    [new Map([['urn:a', {}]]), /class Map is not a JSON value \(at \/documents\)/],
    [[{}], /`documents` must be an object/],
    ['{}', /`documents` must be an object/],
  ]) {
    assert.throws(() => refer(documents), (error) => error instanceof SchemaError && error.code === 'option' && why.test(error.message), String(why));
    assert.throws(() => new full.ToolContract({ name: 'x', inputSchema: { type: 'object' } }, { documents }), (error) => error.name === 'ContractError' && error.code === 'option');
  }
});

test('a tool that is not JSON has one code, as a value and as text', () => {
  for (const tool of [{ name: 'x', inputSchema: { minimum: NaN } }, { name: '\ud800', inputSchema: {} }, '{"name": "x", "inputSchema": {"minimum": NaN}}', '{"name": "\ud800"}']) {
    assert.throws(() => new full.ToolContract(tool), (error) => error.name === 'ContractError' && error.code === 'tool-json', JSON.stringify(tool));
  }
});

test('what is no instance is not undecided', async () => {
  let deep = 1;
  for (let levels = 0; levels < 3000; levels++) deep = [deep];
  const { lint } = await import('@toolsure/validator/analysis');
  for (const call of [() => new Validator({ const: deep }), () => new full.ToolContract({ name: 'x', inputSchema: deep }), () => new Validator(true, { documents: { 'urn:a': deep } }), () => lint([deep])]) {
    assert.throws(call, (error) => /the value has more than 2000 levels/.test(error.message) && !/undecided/.test(error.message));
  }
});
