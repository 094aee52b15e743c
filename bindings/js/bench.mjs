// Figures beside ajv, typebox, zod and cfworker, in one run: node bench.mjs [ROUNDS]
//
// CPU time, and the best of the rounds for each, because this compares engines and not machines or what else runs there.
// Schemas are those of recorded tools where ../shared is there, or else one tool's.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

import * as full from '@toolsure/validator';
import * as lean from '@toolsure/validator/lean';

const require = createRequire(new URL('dev/', import.meta.url));
const Ajv = require('ajv/dist/2020').default;
const { Validator: CfWorker } = require('@cfworker/json-schema');
const { Compile: compileTypebox } = await import(pathToFileURL(require.resolve('typebox/compile')));
const { z } = require('zod');

const tool = {
  type: 'object',
  properties: {
    query: { type: 'string', minLength: 1, maxLength: 200 },
    limit: { type: 'integer', minimum: 1, maximum: 100 },
    sort: { enum: ['relevance', 'date', 'title'] },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 10 },
    since: { type: 'string' },
    exact: { type: 'boolean' },
  },
  required: ['query'],
  additionalProperties: false,
};
const text = JSON.stringify({ query: 'a page about linear time', limit: 25, sort: 'date', tags: ['json', 'schema', 'mcp', 'tools'], since: '2026-01-01', exact: false, }, null, 1);
const value = JSON.parse(text);
const rounds = Number(process.argv[2] ?? 7);

/** Nanoseconds of CPU time so far. */
function cpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1e3;
}

/** Nanoseconds of one call: the best of the rounds. */
function time(call, enough = 60) {
  let best = Infinity;
  for (let round = 0; round < rounds; round++) {
    let count = 1;
    for (;;) {
      const from = cpu();
      for (let done = 0; done < count; done++) call();
      const took = cpu() - from;
      if (took > enough * 1e6) {
        best = Math.min(best, took / count);
        break;
      }
      count = Math.max(count * 2, Math.ceil((count * enough * 1.2e6) / (took + 1)));
    }
  }
  return best;
}

const newAjv = () => new Ajv({ strict: false, allErrors: false });
const ajv = newAjv().compile(tool);
const cfworker = new CfWorker(tool, '2020-12', true);
const typebox = compileTypebox(tool);
const zod = z.fromJSONSchema(tool);
for (const [wrong, right] of [[{ ...value, limit: 'x' }, value]]) {
  const answers = (given) => [ajv(given), typebox.Check(given), zod.safeParse(given).success, cfworker.validate(given).valid, new full.Validator(tool).isValid(given)];
  if (answers(right).includes(false) || answers(wrong).includes(true)) throw new Error('the validators disagree');
}

const figures = {
  'compile, warm': {
    ajv: time(() => newAjv().compile(tool)),
    typebox: time(() => compileTypebox(tool)),
    zod: time(() => z.fromJSONSchema(tool)),
    cfworker: time(() => new CfWorker(tool, '2020-12', true)),
    ...each(({ Validator }) => time(() => new Validator(tool).dispose())),
  },
  'compile from text, warm': each(({ Validator }) => {
    const schema = JSON.stringify(tool);
    return time(() => new Validator(schema).dispose());
  }),
  'text to verdict': {
    ajv: time(() => ajv(JSON.parse(text))),
    typebox: time(() => typebox.Check(JSON.parse(text))),
    zod: time(() => zod.safeParse(JSON.parse(text)).success),
    cfworker: time(() => cfworker.validate(JSON.parse(text)).valid),
    ...each(({ Validator }) => {
      const validator = new Validator(tool);
      return time(() => validator.isValidText(text));
    }),
  },
  'bytes to verdict': {
    ajv: bytes((given) => ajv(JSON.parse(new TextDecoder().decode(given)))),
    ...each(({ Validator }) => {
      const validator = new Validator(tool);
      return bytes((given) => validator.isValidText(given));
    }),
  },
  'object to verdict': {
    ajv: time(() => ajv(value)),
    typebox: time(() => typebox.Check(value)),
    zod: time(() => zod.safeParse(value).success),
    cfworker: time(() => cfworker.validate(value).valid),
    ...each(({ Validator }) => {
      const validator = new Validator(tool);
      return time(() => validator.isValid(value));
    }),
  },
  'object to what is wrong': {
    ajv: time(() => ajv({ ...value, limit: 'x' }) || ajv.errors),
    typebox: time(() => [...typebox.Errors({ ...value, limit: 'x' })]),
    zod: time(() => zod.safeParse({ ...value, limit: 'x' }).error),
    cfworker: time(() => cfworker.validate({ ...value, limit: 'x' }).errors),
    ...each(({ Validator }) => {
      const validator = new Validator(tool);
      return time(() => validator.check({ ...value, limit: 'x' }));
    }),
  },
};

function each(measure) {
  return { full: measure(full), lean: measure(lean) };
}

function bytes(call) {
  const given = new TextEncoder().encode(text);
  return time(() => call(given));
}

console.log(`${text.length} bytes of arguments, Node ${process.version}; nanoseconds, best of ${rounds}`);
console.table(Object.fromEntries(Object.entries(figures).map(([name, row]) => [name, Object.fromEntries(Object.entries(row).map(([who, ns]) => [who, Math.round(ns)]))])));
const ratio = (name, beside) => (figures[name][beside] / figures[name].full).toFixed(1);
console.log(`compile: ${ratio('compile, warm', 'ajv')} × faster than ajv (goal 100)`);
console.log(`text to verdict: ${ratio('text to verdict', 'ajv')} × faster than JSON.parse + ajv (goal 1.5)`);
console.log(`object to verdict: ${ratio('object to verdict', 'cfworker')} × faster than cfworker (goal 5), ${ratio('object to verdict', 'ajv')} × ajv`);

// Real tools: one compile of each input schema of the recorded listings.
const listings = fileURLToPath(new URL('../../../shared/corpus/listings', import.meta.url));
if (existsSync(listings)) {
  const schemas = [];
  for (const name of readdirSync(listings).filter((name) => name.endsWith('.json')).slice(0, 12)) {
    const listing = JSON.parse(readFileSync(`${listings}/${name}`, 'utf8'));
    const tools = listing.tools ?? listing.result?.tools ?? listing;
    if (Array.isArray(tools)) schemas.push(...tools.slice(0, 20).map((tool) => tool.inputSchema).filter((schema) => schema && typeof schema === 'object'));
  }
  const whole = (compile) => {
    const from = cpu();
    for (const schema of schemas) {
      try {
        compile(schema);
      } catch {
        // Counted for both: what one of them does not compile is a matter of the tests.
      }
    }
    return (cpu() - from) / 1e3 / schemas.length;
  };
  const ours = whole((schema) => new full.Validator(schema).dispose());
  const theirs = whole((schema) => newAjv().compile(schema));
  console.log(`${schemas.length} recorded input schemas, each once: ${ours.toFixed(0)} µs, ajv ${theirs.toFixed(0)} µs, ${(theirs / ours).toFixed(1)} × faster`);
}
