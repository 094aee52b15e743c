// What the TypeScript SDK and ajv do, by the names of `interop/sentences.json`: prints one JSON object.
import Ajv from 'ajv';
import Ajv2019 from 'ajv/dist/2019.js';
import Ajv2020 from 'ajv/dist/2020.js';
import Ajv04 from 'ajv-draft-04';
import addFormats from 'ajv-formats';
import { spawnSync } from 'node:child_process';

import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer, fromJsonSchema } from '@modelcontextprotocol/server';

const unchecked = { getValidator: () => (data) => ({ valid: true, data, errorMessage: undefined }) };

/** What a client of 2025-11-25 gets from a tool beside a good one. `check: false` switches the server's own checks off. */
async function called(outputSchema, result, { check = true } = {}) {
  const server = new McpServer({ name: 'server', version: '1' });
  const inputSchema = fromJsonSchema({ type: 'object' });
  server.registerTool('t', { inputSchema, outputSchema: fromJsonSchema(outputSchema, check ? undefined : unchecked) }, () => result);
  server.registerTool('good', { inputSchema }, () => ({ content: [{ type: 'text', text: 'good' }] }));
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'client', version: '1' });
  await Promise.all([server.connect(far), client.connect(near)]);
  const { tools } = await client.listTools();
  const listed = tools.find((tool) => tool.name === 't').outputSchema;
  try {
    const { content, structuredContent, isError } = await client.callTool({ name: 't', arguments: {} });
    return { listed, structuredContent, isError, text: content.map((block) => block.text) };
  } catch (error) {
    await client.callTool({ name: 'good', arguments: {} });
    return { listed, refused: error.message };
  } finally {
    await client.close();
  }
}

/** The message of what a function throws, or its result. */
function tried(act) {
  try {
    return act();
  } catch (error) {
    return `throws: ${error.message}`;
  }
}

const silent = { logger: false };
const ajv = (schema, options) => new Ajv({ ...silent, ...options }).compile(schema);
const errors = (validate, value) => (validate(value), validate.errors);
const two = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } };
const wrong = { a: 1, b: 2 };

/** How many times as long two more characters take: a backtracking engine needs about four times as long. */
function growth() {
  const validate = ajv({ type: 'string', pattern: '^(a+)+$' });
  const time = (length) => {
    const start = process.hrtime.bigint();
    validate('a'.repeat(length) + '!');
    return Number(process.hrtime.bigint() - start);
  };
  time(18);
  return time(24) / time(20) > 4;
}

function changed() {
  const value = { a: '5', z: 1 };
  const options = { coerceTypes: true, useDefaults: true, removeAdditional: true };
  const properties = { a: { type: 'number' }, b: { type: 'number', default: 1 } };
  ajv({ type: 'object', properties, additionalProperties: false }, options)(value);
  return value;
}

function custom() {
  const own = new Ajv(silent);
  own.addKeyword({ keyword: 'even', validate: (_, value) => value % 2 === 0 });
  own.addFormat('short', /^.{3}$/);
  return [own.compile({ even: true })(3), own.compile({ type: 'string', format: 'short' })('four')];
}

function registered() {
  const own = new Ajv(silent);
  own.addSchema({ type: 'string' }, 'https://example.com/text');
  return own.compile({ $ref: 'https://example.com/text' })(5);
}

function sameId() {
  const own = new Ajv(silent);
  own.compile({ $id: 'https://example.com/one', type: 'string' });
  return tried(() => own.compile({ $id: 'https://example.com/one', type: 'number' }));
}

const withFormats = addFormats(new Ajv(silent));
const draft4 = { $schema: 'http://json-schema.org/draft-04/schema#', type: 'number', maximum: 3, exclusiveMaximum: true };
const tuple = { type: 'array', items: [{ type: 'string' }] };
const prefix = { type: 'array', prefixItems: [{ type: 'string' }] };
const alone = "import Ajv from 'ajv'; try { new Ajv({logger: false}).compile({}); console.log('compiles'); } catch (e) { console.log(e.name); }";
const withoutEval = spawnSync(process.execPath, ['--disallow-code-generation-from-strings', '--input-type=module', '--eval', alone], {
  cwd: import.meta.dirname,
});

console.log(
  JSON.stringify({
    'typescript: an array': await called({ type: 'array' }, { content: [], structuredContent: [1] }),
    'typescript: an array with a text': await called(
      { type: 'array' },
      { content: [{ type: 'text', text: 'mine' }], structuredContent: [1] },
    ),
    'typescript: an object': await called({ type: 'object' }, { content: [], structuredContent: { a: 1 } }),
    'typescript: a handler with a wrong value': await called({ type: 'array' }, { content: [], structuredContent: 'x' }),
    'typescript: a server with a reference elsewhere': tried(() => fromJsonSchema({ $ref: 'http://127.0.0.1:9/x.json' })),
    'typescript: a client with a reference elsewhere': await called(
      { type: 'object', $ref: 'http://127.0.0.1:9/x.json' },
      { content: [], structuredContent: {} },
      { check: false },
    ),
    'typescript: prefixItems without $schema': await called(
      { type: 'object', properties: { p: prefix } },
      { content: [], structuredContent: { p: [5] } },
      { check: false },
    ),
    'typescript: a tuple of draft 7 that declares it': await called(
      { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', properties: { p: tuple } },
      { content: [], structuredContent: { p: [5] } },
      { check: false },
    ),
    'typescript: a time without a zone': await called(
      { type: 'object', properties: { at: { type: 'string', format: 'date-time' } } },
      { content: [], structuredContent: { at: '2026-01-01T00:00:00' } },
      { check: false },
    ),
    'ajv: errors': errors(ajv(two), wrong),
    'ajv: allErrors': errors(ajv(two, { allErrors: true }), wrong).length,
    'ajv: text': ajv({ type: 'object' })('{}'),
    'ajv: a format alone': tried(() => ajv({ type: 'string', format: 'date' })('x')),
    'ajv: addFormats': withFormats.compile({ type: 'string', format: 'date' })('x'),
    'ajv: addSchema': registered(),
    'ajv: one id twice': sameId(),
    'ajv: the default dialect': [ajv(prefix, { strict: false })([1]), ajv(tuple, { strict: false })([1])],
    'ajv: Ajv2019': new Ajv2019({ ...silent, strict: false }).compile({ dependentRequired: { a: ['b'] } })({ a: 1 }),
    'ajv: Ajv2020': new Ajv2020({ ...silent, strict: false }).compile(prefix)([1]),
    'ajv: draft 4': [tried(() => ajv(draft4)), new Ajv04(silent).compile(draft4)(3)],
    'ajv: an unknown keyword': tried(() => ajv({ minLenght: 3 })),
    'ajv: a changed value': changed(),
    'ajv: own keywords and formats': custom(),
    'ajv: work that explodes': growth(),
    'ajv: what is no JSON': [NaN, () => 1, undefined].map((value) => [ajv({})(value), ajv({ type: 'object' })(value), ajv({ type: 'number' })(value)]),
    'ajv: a Date': ajv({ type: 'object' })(new Date()),
    'ajv: without eval': String(withoutEval.stdout).trim(),
  }),
);
