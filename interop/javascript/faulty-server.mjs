// MCP server over stdio (official TypeScript SDK). Without an argument it is correct;
// `server.mjs FAULT` plants one fault. The faults are listed in interop/faults.json.
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { Protocol } from '@modelcontextprotocol/sdk/shared/protocol.js';
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';

const FAULT = process.argv[2] ?? '';
const bad = name => FAULT === name;
const ajv = new Ajv.default({ allErrors: true, strict: false });
addFormats.default(ajv);
const sleep = ms => new Promise(done => setTimeout(done, ms));
const forever = () => new Promise(() => {});

// ---- schemas
const obj = (properties, required = Object.keys(properties)) =>
  ({ type: 'object', properties, required, additionalProperties: false });
const int = (minimum, maximum, more = {}) => ({ type: 'integer', minimum, maximum, ...more });
const choice = (...values) => ({ type: 'string', enum: values });
const list = (items, more = {}) => ({ type: 'array', items, ...more });
const TEXT = { type: 'string' };
const BOOL = { type: 'boolean' };
const NUM = { type: 'number' };
const PERCENT = { type: 'number', minimum: 0, maximum: 100 };
const WHEN = { type: 'string', format: 'date-time' };
const DAY = { type: 'string', format: 'date', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' };

const tools = new Map();
const tool = (name, description, input, required, outputSchema, run) => {
  const inputSchema = obj(input, required);
  tools.set(name, {
    run, check: ajv.compile(inputSchema),
    listed: { name, description, inputSchema, outputSchema, annotations: { readOnlyHint: true } },
  });
};

// ---- data
const CALENDARS = ['private', 'work', 'holidays'];
const event = id => ({
  id, title: `Event ${id}`, start: new Date(Date.UTC(2025, 0, id, 9)).toISOString(),
  place: id % 3 ? `Room ${id % 7}` : null, attendees: id % 2 ? [`person${id}@example.org`] : [],
});
const EVENTS = Array.from({ length: 40 }, (_, i) => event(i + 1));
const BOOKS = Array.from({ length: 12 }, (_, i) => ({
  isbn: `978-0-00-0000${String(i).padStart(2, '0')}`, title: `Book ${i}`, author: ['Austen', 'Borges', 'Calvino'][i % 3],
  year: 1900 + i * 10, rating: i % 4 ? 3 + (i % 3) / 2 : null, in_print: i % 2 === 0,
}));

// ---- tools
const EVENT = obj({ id: int(1, 40), title: TEXT, start: WHEN, place: { type: ['string', 'null'] },
  attendees: list({ type: 'string', format: 'email' }) });

tool('list_events', 'Lists the events of a calendar, a page at a time.',
  { calendar: choice(...CALENDARS), page_size: int(1, 25, { default: 5 }),
    cursor: { type: 'string', pattern: '^c[0-9]{1,3}$', description: 'next_cursor of the page before' } }, [],
  obj({ events: list(EVENT, { maxItems: 25 }), next_cursor: { type: 'string', pattern: '^c[0-9]{1,3}$' } }, ['events']),
  a => {
    const size = Math.min(a.page_size ?? 5, 25);
    const start = Number((a.cursor ?? 'c0').slice(1));
    const all = a.calendar ? EVENTS.filter(e => CALENDARS[e.id % 3] === a.calendar) : EVENTS;
    const out = { events: all.slice(start, start + size) };
    if (start + size < all.length) out.next_cursor = `c${start + size}`;
    if (bad('prose-text')) return raw({ content: [text(`Found ${out.events.length} events.`)], structuredContent: out });
    return out;
  });

tool('get_event', 'Gives one event, or some of its fields.',
  { event_id: int(1, 40), fields: list(choice('title', 'start', 'place', 'attendees'), { minItems: 1, uniqueItems: true }) },
  ['event_id'], { ...EVENT, required: ['id'] },
  a => {
    const found = EVENTS[Math.trunc(Number(a.event_id)) - 1];
    if (!found) return failure('There is no such event.');
    const out = a.fields ? { id: found.id } : { ...found };
    for (const field of a.fields ?? []) out[field] = found[field];
    if (bad('text-missing')) return raw({ content: [{ type: 'text', value: JSON.stringify(out) }], structuredContent: out });
    if (bad('stringified')) return raw({ content: [text(JSON.stringify(out))], structuredContent: JSON.stringify(out) });
    return out;
  });

tool('search_books', 'Finds books.',
  { author: { ...TEXT, maxLength: 60 }, year: int(1450, 2100), in_print: BOOL, limit: int(1, 10, { default: 10 }) }, [],
  obj({ found: int(0, 12), books: list(obj({ isbn: TEXT, title: TEXT, author: TEXT, year: { type: 'integer' },
    rating: { anyOf: [{ type: 'number', minimum: 0, maximum: 5 }, { type: 'null' }] }, in_print: BOOL }), { maxItems: 10 }) }),
  async a => {
    if (bad('all-options-hang') && ['author', 'year', 'in_print', 'limit'].every(k => k in a)) await forever();
    if (bad('undefined-author') && a.year !== undefined) a.author.toLowerCase();
    const books = BOOKS.filter(b => (a.author == null || b.author.toLowerCase().includes(a.author.toLowerCase()))
      && (a.year === undefined || b.year === a.year) && (a.in_print === undefined || b.in_print === a.in_print));
    return { found: books.length, books: books.slice(0, a.limit ?? 10) };
  });

const tagged = (to, value) => obj({ to: { type: 'string', const: to }, value });
tool('convert_color', 'Converts a colour.',
  { color: { type: 'string', pattern: '^#[0-9a-f]{6}$' }, to: choice('rgb', 'hsl', 'cmyk', 'name') }, ['color', 'to'],
  { type: 'object', oneOf: [
    tagged('rgb', obj({ r: int(0, 255), g: int(0, 255), b: int(0, 255) })),
    tagged('hsl', obj({ h: { type: 'number', minimum: 0, maximum: 360 }, s: PERCENT, l: PERCENT })),
    tagged('cmyk', obj({ c: PERCENT, m: PERCENT, y: PERCENT, k: PERCENT })),
    tagged('name', TEXT)] },
  a => {
    let { color, to } = a;
    if (bad('first-member')) [color, to] = Object.values(a);
    if (!/^#[0-9a-f]{6}$/.test(color)) {
      if (bad('first-member')) return failure('color must look like #rrggbb');
      color = '#000000'; // reached with the fault pattern-unchecked only
    }
    const [r, g, b] = [1, 3, 5].map(i => parseInt(color.slice(i, i + 2), 16));
    const [max, min] = [Math.max(r, g, b) / 255, Math.min(r, g, b) / 255];
    if (to === 'rgb') return { to, value: { r, g, b } };
    if (to === 'hsl') {
      const l = (max + min) / 2;
      const s = max === min ? 0 : Math.min((max - min) / (1 - Math.abs(2 * l - 1)), 1);
      const angle = Math.atan2(Math.sqrt(3) * (g - b), 2 * r - g - b) * 180 / Math.PI;
      return { to, value: { h: (angle + 360) % 360, s: s * 100, l: l * 100 } };
    }
    if (to === 'cmyk') {
      const part = v => max === 0 ? 0 : Math.max(0, Math.min(100, (max - v / 255) / max * 100));
      const value = { c: part(r), m: part(g), y: part(b), k: (1 - max) * 100 };
      if (bad('cmyk-strings')) for (const k in value) value[k] = `${Math.round(value[k])}%`;
      return { to, value };
    }
    const out = { to, value: max === 0 ? 'black' : min === 1 ? 'white' : 'colour' };
    return bad('no-structured') ? raw({ content: [text(JSON.stringify(out))] }) : out;
  });

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const asked = new Set();
tool('forecast', 'Gives the weather forecast of a city.',
  { city: choice('oslo', 'cairo', 'lima', 'perth'), days: int(1, 7), units: choice('metric', 'imperial'),
    hourly: BOOL, chart: { ...BOOL, description: 'adds a picture' } }, ['city', 'days'],
  obj({ city: TEXT, unit: choice('C', 'F'), days: list(obj({ date: DAY, low: NUM, high: NUM,
    rain_chance: { type: 'number', minimum: 0, maximum: 1 } }), { minItems: 1, maxItems: 7 }),
    hours: list(NUM, { minItems: 24, maxItems: 24 }) }, ['city', 'unit', 'days']),
  async a => {
    if (bad('reject-exit') && a.city === 'lima') Promise.reject(new Error('ECONNRESET')); // awaited by nobody
    if (bad('stale-enum') && a.units === 'imperial') return failure('Invalid arguments: units must be "metric" or "us"');
    const unit = a.units === 'imperial' ? 'F' : 'C';
    const out = { city: a.city, unit, days: Array.from({ length: a.days }, (_, i) => (
      { date: `2025-06-0${i + 1}`, low: 10 + i, high: 20 + i, rain_chance: i / 10 })) };
    if (a.hourly) out.hours = Array.from({ length: 24 }, (_, h) => 10 + (h % 12));
    if (bad('undefined-unit') && a.days === 7) out.unit = undefined;
    if (bad('cache-extra')) { if (asked.has(a.city)) out.cached = true; asked.add(a.city); }
    const content = [text(JSON.stringify(out))];
    if (a.chart) content.push({ type: 'image', data: PIXEL, ...(bad('image-no-mime') ? {} : { mimeType: 'image/png' }) });
    return raw({ content, structuredContent: out });
  });

tool('plan_trip', 'Plans a trip.',
  { stops: list(obj({ name: { ...TEXT, minLength: 1, maxLength: 80 }, nights: int(0, 30) }), { minItems: 2, maxItems: 6 }),
    traveller: obj({ name: TEXT, age: int(0, 120), preferences: obj({ diet: choice('any', 'vegetarian', 'vegan'),
      pace: choice('slow', 'fast') }, []) }, ['name']),
    budget: obj({ amount: { type: 'number', exclusiveMinimum: 0, maximum: 100000 }, currency: choice('EUR', 'CHF') }) }, ['stops'],
  obj({ nights: { type: 'integer', minimum: 0 }, legs: list(obj({ from: TEXT, to: TEXT }), { minItems: 1 }),
    cost: obj({ amount: { type: 'number', minimum: 0 }, currency: choice('EUR', 'CHF') }), within_budget: BOOL, diet: TEXT },
  ['nights', 'legs', 'cost']),
  a => {
    if (bad('zero-missing') && a.stops.some(s => !s.nights)) return failure('Invalid arguments: nights is required');
    const names = a.stops.map(s => s.name.toWellFormed());
    const nights = a.stops.reduce((sum, s) => sum + s.nights, 0);
    const out = { nights, legs: names.slice(1).map((to, i) => ({ from: names[i], to })),
      cost: { amount: nights * 80, currency: a.budget?.currency ?? 'EUR' } };
    if (a.budget) out.within_budget = out.cost.amount <= a.budget.amount;
    const wishes = a.traveller?.preferences;
    if (wishes && bad('stack-text')) out.diet = wishes.diet.trim();
    else if (wishes?.diet) out.diet = wishes.diet;
    return out;
  });

tool('grade_stats', 'Sums up the scores of an exam.',
  { scores: list(PERCENT, { minItems: 1, maxItems: 30 }), scale: choice('letter', 'points', 'percent'), drop_lowest: int(0, 3) },
  ['scores'],
  obj({ mean: PERCENT, deviation: { type: 'number', minimum: 0 }, grade: { anyOf: [choice('A', 'B', 'C', 'D'), int(0, 15), PERCENT] } }),
  a => {
    const kept = [...a.scores].sort((x, y) => x - y).slice(Math.min(a.drop_lowest ?? 0, a.scores.length - 1));
    const mean = Math.min(kept.reduce((x, y) => x + y, 0) / kept.length, 100);
    const squares = kept.reduce((sum, x) => sum + (x - mean) ** 2, 0);
    const n = kept.length - 1;
    const deviation = Math.sqrt(squares / (bad('nan-deviation') ? n : n || 1));
    const grade = { letter: 'DCBA'[Math.min(Math.floor(mean / 25), 3)], points: Math.floor(mean * 0.15), percent: mean }[a.scale ?? 'percent'];
    const out = { mean, deviation, grade };
    if (bad('other-text')) return raw({ content: [text(JSON.stringify({ ...out, mean: 0 - mean - 1 }))], structuredContent: out });
    return out;
  });

tool('format_text', 'Changes the case of a text and breaks it into lines.',
  { text: { ...TEXT, maxLength: 20 }, case: choice('upper', 'lower', 'title'), width: int(5, 120, { multipleOf: 5 }) }, ['text', 'case'],
  obj({ text: TEXT, lines: list(TEXT) }),
  a => {
    if (bad('utf16-length') && a.text.length > 20) return failure('Invalid arguments: text must have at most 20 characters');
    const plain = a.text.toWellFormed();
    const changed = { upper: plain.toUpperCase(), lower: plain.toLowerCase(),
      title: plain.replace(/\p{L}+/gu, w => w[0].toUpperCase() + w.slice(1)) }[a.case].toWellFormed();
    const letters = [...changed];
    const width = a.width ?? 80;
    const lines = [];
    for (let i = 0; i < letters.length; i += width) lines.push(letters.slice(i, i + width).join(''));
    return { text: changed, lines };
  });

tool('count_words', 'Counts the words of a text.', { text: TEXT }, ['text'],
  obj({ characters: { type: 'integer', minimum: 0 }, bytes: { type: 'integer', minimum: 0 }, words: { type: 'integer', minimum: 0 } }),
  async a => {
    if (bad('uri-malformed')) encodeURIComponent(a.text);
    if (bad('long-text-hang') && a.text.length > 50000) await forever();
    return { characters: [...a.text].length, bytes: Buffer.byteLength(a.text), words: a.text.split(/\s+/).filter(Boolean).length };
  });

// ---- calls and lists
const text = value => ({ type: 'text', text: value });
const raw = result => ({ raw: result });
const failure = why => raw({ content: [text(bad('empty-error') ? '' : why)], isError: true });

// errors of the arguments that the planted fault lets pass: [tool, keyword, where]
const FORGIVEN = {
  'pattern-unchecked': ['convert_color', 'pattern', '/color'],
  'unique-unchecked': ['get_event', 'uniqueItems', '/fields'],
  'clamp-page-size': ['list_events', 'maximum', '/page_size'],
  'parse-int': ['get_event', 'type', '/event_id'],
  'null-optional': ['search_books', 'type', '/author'],
  'zero-budget': ['plan_trip', 'exclusiveMinimum', '/budget/amount'],
  'any-width': ['format_text', 'multipleOf', '/width'],
}[FAULT];
const forgiven = (name, error, args) => FORGIVEN && FORGIVEN[0] === name && FORGIVEN[1] === error.keyword
  && FORGIVEN[2] === error.instancePath && !(bad('null-optional') && args.author !== null);

let calls = 0;
let current;

async function call({ params }) {
  calls += 1;
  let name = params.name;
  let args = params.arguments ?? {};
  if (bad('cancel-silence')) await sleep(300);
  if (bad('shared-arguments')) { // all calls keep their arguments at one place
    current = { name, args };
    await sleep(50);
    ({ name, args } = current);
  }
  const found = tools.get(name);
  if (!found) {
    if (bad('unknown-tool-hang')) await forever();
    throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, 80).toWellFormed()}`);
  }
  found.check(args);
  const wrong = (found.check.errors ?? []).find(e => !forgiven(name, e, args));
  if (wrong) {
    if (bad('console-log')) console.log('validation failed:', name);
    return failure(`Invalid arguments: ${wrong.instancePath} ${wrong.message}`).raw;
  }
  try {
    const out = await found.run(args);
    return out.raw ?? { content: [text(JSON.stringify(out))], structuredContent: out };
  } catch (error) {
    if (bad('stack-text')) return failure(error.stack).raw;
    throw error;
  }
}

const EXTRA = { name: 'export_calendar', description: 'Gives a calendar as iCalendar.', inputSchema: obj({ calendar: choice(...CALENDARS) }),
  annotations: { readOnlyHint: true } };

function listTools({ params }) {
  const listed = [...tools.values()].map(t => t.listed);
  if (bad('listed-only') || (bad('growing-list') && calls > 0)) listed.push(EXTRA);
  if (bad('cursor-loop')) return params?.cursor ? { tools: listed.slice(5), nextCursor: 'page2' } : { tools: listed.slice(0, 5), nextCursor: 'page2' };
  return { tools: listed };
}

const server = new Server({ name: 'desk', version: '1.0.0' }, { capabilities: { tools: {} } });
// Protocol's method, since Server's refuses results that break the protocol
Protocol.prototype.setRequestHandler.call(server, CallToolRequestSchema, call);
server.setRequestHandler(ListToolsRequestSchema, listTools);
const transport = new StdioServerTransport();
await server.connect(transport);
const receive = transport.onmessage;
let silent = false;
transport.onmessage = message => {
  if (bad('cancel-silence')) silent ||= message.method === 'notifications/cancelled';
  if (silent) return;
  const args = message.params?.arguments;
  // the SDK answers arguments that are no object with an internal error
  if (message.method === 'tools/call' && args !== undefined && (typeof args !== 'object' || args === null || Array.isArray(args))) {
    transport.send({ jsonrpc: '2.0', id: message.id, error: { code: ErrorCode.InvalidParams, message: 'arguments must be an object' } });
  } else {
    receive(message);
  }
};
