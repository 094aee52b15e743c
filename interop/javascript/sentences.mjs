// What the TypeScript SDK and ajv do, by the names of `interop/sentences.json`: prints one JSON object.
import Ajv from 'ajv';
import Ajv2019 from 'ajv/dist/2019.js';
import Ajv2020 from 'ajv/dist/2020.js';
import Ajv04 from 'ajv-draft-04';
import addFormats from 'ajv-formats';
import { spawnSync } from 'node:child_process';

import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as FirstTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer as FirstServer } from '@modelcontextprotocol/sdk/server/mcp.js';
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

const TOOLS = [
  { name: 'good', inputSchema: { type: 'object', properties: { n: { type: 'number' } } } },
  { name: 'bad', inputSchema: { type: 'object' }, outputSchema: { type: 'object', description: 'bad' } },
];

/** A connection to a server of these tools that answers each call with this result. */
class Scripted {
  constructor(result, cached = {}, tools = TOOLS) {
    const info = { capabilities: { tools: {} }, serverInfo: { name: 'server', version: '1' } };
    this.calls = [];
    this.results = {
      initialize: { protocolVersion: '2025-11-25', ...info },
      'server/discover': { ...cached, supportedVersions: ['2026-07-28'], ...info },
      'tools/list': { ...cached, tools },
      'tools/call': result,
    };
  }
  async start() {}
  async close() {
    this.onclose?.();
  }
  async send({ id, method, params }) {
    if (id === undefined) return;
    if (method === 'tools/call') this.calls.push(params.arguments);
    queueMicrotask(() => this.onmessage({ jsonrpc: '2.0', id, result: this.results[method] }));
  }
}

const info = { name: 'client', version: '1' };
const impatient = { timeout: 3000 };

/** What comes of a call of a tool, with what was sent. */
async function outcome(connection, client, name = 'good', args = {}) {
  const given = { name, arguments: args };
  const later = client instanceof FirstClient ? [undefined, impatient] : [impatient];
  try {
    await client.connect(connection);
    await client.listTools();
    await client.callTool(given, ...later);
    return { sent: connection.calls };
  } catch (error) {
    return { error: error.message, sent: connection.calls };
  } finally {
    await client.close();
  }
}

const text = { type: 'text', text: 'x' };
/** Results that are wrong in one place. */
const WRONG = {
  lastModified: { content: [{ ...text, annotations: { lastModified: 'yesterday' } }] },
  data: { content: [{ type: 'image', data: '%', mimeType: 'image/png' }] },
  blob: { content: [{ type: 'resource', resource: { uri: 'a:b', blob: '%' } }] },
  progressToken: { content: [text], _meta: { progressToken: {} } },
  'related-task': { content: [text], _meta: { 'io.modelcontextprotocol/related-task': {} } },
  _meta: { content: [text], _meta: null },
};

/** Whether each of them arrives, is lost, or is waited for. */
async function arrivals(client, more = {}) {
  const cached = more.resultType && { ...more, ttlMs: 0, cacheScope: 'private' };
  const all = Object.entries(WRONG).map(async ([name, result]) => {
    const { error } = await outcome(new Scripted({ ...more, ...result }, cached), client());
    return [name, error === undefined ? 'arrives' : /timed out/.test(error) ? 'waits' : 'lost'];
  });
  return Object.fromEntries(await Promise.all(all));
}

/** A provider that cannot compile the output schema of `bad`. */
const jsonSchemaValidator = {
  getValidator(schema) {
    if (schema.description === 'bad') throw new Error('it does not compile');
    return unchecked.getValidator(schema);
  },
};

/** A Standard Schema without members of its own, as `Validator` is. */
class Standard {
  get '~standard'() {
    return { version: 1, vendor: 'x', validate: (value) => ({ value }) };
  }
}

/** Whether a client loses the list over an input schema without a type. */
async function typeless(client) {
  const { error } = await outcome(new Scripted({ content: [text] }, {}, [...TOOLS, { name: 'typeless', inputSchema: {} }]), client);
  return error?.includes('inputSchema');
}

/** How version 1 lists a tool whose input schema is a Standard Schema. */
async function standard() {
  const server = new FirstServer(info);
  server.registerTool('t', { inputSchema: new Standard() }, () => ({ content: [] }));
  const [near, far] = FirstTransport.createLinkedPair();
  const client = new FirstClient(info);
  await Promise.all([server.connect(far), client.connect(near)]);
  const { tools } = await client.listTools();
  await client.close();
  return tools.map((tool) => tool.inputSchema);
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
    'typescript 1: wrong results': await arrivals(() => new FirstClient(info)),
    'typescript: wrong results': await arrivals(() => new Client(info)),
    'typescript: wrong results, 2026-07-28': await arrivals(() => new Client(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } }), {
      resultType: 'complete',
    }),
    'typescript 1: only text': (await outcome(new Scripted({ content: [text] }), new FirstClient(info), 'bad')).error,
    'typescript: only text': (await outcome(new Scripted({ content: [text] }), new Client(info), 'bad')).error,
    'typescript 1: a provider that throws': await outcome(new Scripted({ content: [text] }), new FirstClient(info, { jsonSchemaValidator })),
    'typescript: a provider that throws': await outcome(new Scripted({ content: [text] }), new Client(info, { jsonSchemaValidator }), 'bad'),
    'typescript 1: wrong arguments': await outcome(new Scripted({ content: [text] }), new FirstClient(info), 'good', { n: 'x' }),
    'typescript: wrong arguments': await outcome(new Scripted({ content: [text] }), new Client(info), 'good', { n: 'x' }),
    'typescript 1: a Standard Schema': await standard(),
    'typescript 1: an input schema without a type': await typeless(new FirstClient(info)),
    'typescript: an input schema without a type': await typeless(new Client(info)),
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
