// What is found in listings, and tools for providers.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as full from '@toolsure/validator';
import { NotJsonError, SchemaError, UndecidedError, argumentSchema, check, diff, generate, lint, project } from '@toolsure/validator/analysis';

const tool = {
  name: 'add',
  description: 'Adds two numbers',
  inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
};

test('lint finds what the command finds', () => {
  const misspelt = { ...tool, inputSchema: { type: 'object', properties: { q: { type: 'string', minLenght: 3 } } } };
  const report = lint({ tools: [tool, misspelt] });
  const finding = report.findings.find((finding) => finding.code === 'TL032');
  assert.deepEqual([finding.tool, finding.pointer], [1, '/inputSchema/properties/q/minLenght']);
  assert.equal(finding.help, 'did you mean `minLength`?');
  assert.equal(report.tokens.length, 2);
  const count = (options) => lint([tool, misspelt], options).findings.filter((finding) => finding.code === 'TL032').length;
  assert.equal(count({ allow: ['TL032'] }), 0);
  assert.equal(count({ deny: ['misspelt-keyword'] }), 1);
  assert.ok(lint([misspelt], { profiles: ['strict', 'openai'] }).findings.length > report.findings.length / 2);
  assert.throws(() => lint('{'), (error) => error instanceof NotJsonError && error.offset === 1);
  for (const [listing, options] of [[{}, {}], [5, {}], [[], { profiles: ['gemini9'] }], [[], { allow: ['TL999'] }], [[], { x: 1 }]]) {
    assert.throws(() => lint(listing, options), SchemaError);
  }
});

test('check says of each tool whether it can be used', () => {
  const dangling = { ...tool, name: 'gone', inputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/no' } } } };
  for (const listing of [[tool, dangling, {}], { tools: [tool, dangling, {}] }, JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools: [tool, dangling, {}] } })]) {
    const report = check(listing);
    assert.deepEqual(report.tools.map(({ name, verdict }) => [name, verdict]), [['add', 'ok'], ['gone', 'refused'], [null, 'refused']]);
    assert.match(report.tools[1].findings[0].message, /does not resolve/);
  }
});

test('diff says whether callers break, with a value that proves it', () => {
  const narrower = { ...tool, inputSchema: { ...tool.inputSchema, properties: { a: { type: 'integer' }, b: { type: 'number' } } } };
  const report = diff([tool], [narrower]);
  assert.deepEqual([report.class, report.tools[0].changes[0].kind], ['breaking', 'schema-narrowed']);
  const { witness } = report.tools[0].changes[0];
  const old = new full.ToolContract(tool).checkArguments(witness);
  const now = new full.ToolContract(narrower).checkArguments(witness);
  assert.deepEqual([old.ok, now.ok], [true, false]);
  assert.deepEqual(diff([tool], [tool]), { class: null, same: 1, tools: [] });
  assert.equal(diff([tool], []).class, 'breaking');
  assert.equal(diff([tool], [], { partial: true }).class, 'unknown');
  assert.throws(() => diff([tool], [], { partial: 1 }), (error) => error instanceof SchemaError && error.code === 'option');
});

test('project gives a provider its tools, and maps calls back', () => {
  const find = { name: 'find', inputSchema: { type: 'object', properties: { q: { type: 'string', minLength: 2 }, limit: { type: 'integer', minimum: 1 } }, required: ['q'], additionalProperties: false } };
  const projection = project([{ name: 'lost' }, find], { for: 'openai-strict', form: 'openai' });
  assert.equal(projection.for, 'openai-strict');
  assert.deepEqual(projection.tools.map(({ index, name, relation }) => [index, name, relation]), [[0, 'lost', undefined], [1, 'find', 'equal']]);
  assert.match(projection.tools[0].refused, /inputSchema/);
  assert.deepEqual(projection.definitions[0].function.parameters.required, ['q', 'limit']);
  const call = projection.call('find', { q: 'cats', limit: null });
  assert.deepEqual([call.name, call.arguments, call.decision.ok], ['find', { q: 'cats' }, true]);
  assert.equal(projection.call('find', '{"q": "cats", "limit": 0}').decision.code, 'arguments-invalid');
  assert.equal(projection.call('gone').decision.code, 'tool-unknown');
  assert.throws(() => projection.call('find', '{'), NotJsonError);
  const exact = project([{ name: 'f', inputSchema: { type: 'object', properties: { n: { type: 'number', exclusiveMaximum: 1 } }, additionalProperties: {} } }], { for: 'anthropic' });
  for (const text of ['{"n":0.99999999999999999999}', '{"n":0.5,"m":1e400}']) assert.deepEqual([exact.call('f', text).decision.ok, exact.call('f', text).decision.code], [false, 'arguments-invalid']);
  assert.equal(exact.call('f', '{"n":0.5}').decision.ok, true);
  assert.throws(() => projection.call('find', { q: undefined, at: new Date(0) }), NotJsonError);
  const poor = project([find], { for: 'anthropic', limits: { instance: { bytes: 10 } } });
  assert.throws(() => poor.call('find', { q: 'x'.repeat(20) }), UndecidedError);
  assert.equal(project([find], { for: 'gemini' }).definitions[0].name, 'find');
  for (const options of [undefined, {}, { for: 'nobody' }, { for: 'openai', form: 'soap' }, { for: 'openai', recursion: 17 }]) {
    assert.throws(() => project([find], options), (error) => error instanceof SchemaError && error.code === 'option', JSON.stringify(options));
  }
  projection.dispose();
  assert.throws(() => projection.call('find'), TypeError);
});

test('an argument schema becomes a JSON Schema', () => {
  const report = argumentSchema({ q: { type: 'string', required: true, minLength: 3, description: 'Search words.' } });
  assert.deepEqual(report.schema.required, ['q']);
  assert.deepEqual([report.declared, report.diagnoses], [false, []]);
  const wrong = argumentSchema({ q: { type: 'boolean', minimum: 1 } }, { version: '2025-10-09' });
  assert.equal(wrong.schema, undefined);
  assert.ok(wrong.diagnoses.some(({ severity, code }) => severity === 'error' && code === 'no-effect'));
});

test('generate makes valid instances, and invalid ones with one fault', () => {
  const schema = { type: 'object', properties: { size: { type: 'integer', minimum: 1 }, note: { enum: ['a', null] } }, required: ['size'], additionalProperties: false };
  for (const given of [schema, JSON.stringify(schema), new TextEncoder().encode(JSON.stringify(schema))]) {
    const made = generate(given);
    const validator = new full.Validator(given);
    assert.deepEqual(made.valid.slice(0, 2).map(({ value }) => value), [{ size: 1 }, { size: 1, note: 'a' }]);
    assert.ok(made.valid.every(({ value, purpose }) => validator.isValid(value) && purpose.length > 0));
    for (const { value, ...one } of made.invalid) {
      const { errors } = validator.check(value);
      assert.deepEqual(errors.map((error) => [error.keyword, error.schemaPath, error.instancePath, error.message]), [[one.keyword, one.keywordLocation, one.instanceLocation, one.message]]);
    }
    assert.deepEqual([made.missing, made.satisfiable, made.proof], [[], true, null]);
  }
  const few = generate(schema, { valid: 1, invalid: 2, seed: 7 });
  assert.deepEqual([few.valid.length, few.invalid.length], [1, 2]);
  assert.deepEqual(generate(schema, { seed: 1, valid: undefined }), generate(schema));
  assert.deepEqual([generate({ type: 'string' }).satisfiable, generate({ type: 'string' }, { objects: true }).satisfiable], [true, false]);
  assert.ok(generate({ format: 'date' }, { formats: 'assert' }).invalid.some(({ keyword }) => keyword === 'format'));
  const none = generate({ type: 'string', minLength: 5, maxLength: 3 });
  assert.deepEqual([none.valid, none.satisfiable, typeof none.proof], [[], false, 'string']);
  assert.deepEqual(none.missing, [{ location: '/minLength', valid: false, impossible: false }, { location: '/maxLength', valid: false, impossible: false }]);
  for (const options of [{ seed: -1 }, { valid: 1.5 }, { objects: 1 }, { formats: 'yes' }, { x: 1 }, null, 5]) {
    assert.throws(() => generate(schema, options), (error) => error instanceof SchemaError && error.code === 'option', JSON.stringify(options));
  }
});

test('generate throws for a schema what a validator throws', () => {
  const limited = { limits: { schema_bytes: 9 } };
  for (const [schema, options] of [[{ type: 'strng' }], ['{"type": "strng"}'], ['{'], [null], [[1]], [undefined], [{ const: NaN }], ['"\ud800"'], [{ type: 'string' }, limited], ['{"type": "string"}', limited]]) {
    const [ours, theirs] = [() => generate(schema, options), () => new full.Validator(schema, options)].map((make) => {
      try {
        return make();
      } catch (error) {
        return [error.name, error.message, { ...error }];
      }
    });
    assert.ok(Array.isArray(theirs), JSON.stringify(schema));
    assert.deepEqual(ours, theirs);
  }
});

test('tools that have no contract keep their places', () => {
  const b = { name: 'b', inputSchema: { type: 'object' } };
  const { tools } = project([{ name: 'a', inputSchema: true }, b, { ...b }, null, 'x', {}], { for: 'openai' });
  assert.deepEqual(tools.map(({ index, name, refused }) => [index, name, refused === undefined]), [[0, 'a', false], [1, 'b', true], [2, 'b', false], [3, null, false], [4, null, false], [5, null, false]]);
});

test('a listing that is not JSON says so', () => {
  for (const listing of [undefined, [{ name: NaN }], '[{"name":"\ud800"}]', [{ name: '\ud800' }], 'x']) assert.throws(() => lint(listing), NotJsonError);
});

test('what refers to itself a hundred times is projected in time', () => {
  const properties = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`k${at}`, { $ref: '#/$defs/n' }]));
  const wide = { name: 'x', inputSchema: { type: 'object', $defs: { n: { type: 'object', properties } }, properties: { r: { $ref: '#/$defs/n' } } } };
  const from = process.cpuUsage();
  for (const reader of ['gemini', 'anthropic-strict', 'openai-strict']) project([wide], { for: reader }).dispose();
  const { user } = process.cpuUsage(from);
  // Seconds, where it took a minute and a half; a bound that no machine fails by chance.
  assert.ok(user < 40e6, `${user / 1e6} s`);
});
