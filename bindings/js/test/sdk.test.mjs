// The clients of both official SDKs with our provider, against the odd tools of the proof of the guard.
//
// What the interface does not let a provider mend stays: an SDK that refuses a listing or a result before it asks
// the provider. `OUTSIDE` counts those; everything else works, or is refused for a reason.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

import { ToolsureJsonSchemaValidator, Validator } from '@toolsure/validator';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const modules = at('../dev/node_modules/@modelcontextprotocol');
const proof = at('../../../xtask/guard-proof');
const skip = existsSync(`${modules}/client`) && existsSync(proof) ? false : 'needs dev/node_modules and xtask/guard-proof';

const MODERN = '2026-07-28';

// server.py's own functions say what each odd server answers, so that nothing of it is written twice.
const ANSWERS = `
import json, re, sys
exec(open(sys.argv[1] + "/server.py").read().replace("\\nmain()\\n", "\\n"))
meta = {"_meta": {"io.modelcontextprotocol/protocolVersion": sys.argv[2]}} if sys.argv[2] == "${MODERN}" else {}
for one in json.load(open(sys.argv[1] + "/odd-tools.json")):
    case = Case(one)
    call = {"name": case.name, "arguments": json.loads(text(one.get("arguments", {})))}
    if "envelope" in one or "error" in one or not isinstance(case.name, str): continue
    asked = lambda method, params={}, cases=[case]: answer(cases, {"method": method, "params": {**params, **meta}})[1]
    print(json.dumps({
        "case": one["name"], "call": call, "expected": text(one["structured"]) if "structured" in one else None,
        "initialize": asked("initialize"), "discover": asked("server/discover"), "list": asked("tools/list"),
        "sum": asked("tools/call", {"name": "add", "arguments": {"a": 1, "b": 2}}, []), "result": asked("tools/call", call),
    }))
`;

const cases = (era) =>
  execFileSync('python3', ['-c', ANSWERS, proof, era], { encoding: 'utf8', maxBuffer: 1 << 30 }).trim().split('\n').map((line) => JSON.parse(line));

/** A connection to a server that answers what a case says. */
class Answers {
  constructor(one) {
    this.one = one;
  }
  async start() {}
  async close() {
    this.onclose?.();
  }
  async send(message) {
    if (message.id === undefined) return;
    queueMicrotask(() => {
      let member;
      if (message.method === 'initialize') {
        member = this.one.initialize;
      } else if (message.method === 'server/discover') {
        member = this.one.discover;
      } else if (message.method === 'tools/list') {
        member = message.params?.cursor === undefined ? this.one.list : '"result":{"tools":[],"ttlMs":0,"cacheScope":"private"}';
      } else {
        member = message.params?.name === 'add' ? this.one.sum : this.one.result;
      }
      try {
        this.onmessage?.(JSON.parse(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},${member}}`));
      } catch (error) {
        this.onerror?.(error);
      }
    });
  }
}

async function outcome(Client, version, era, one) {
  const negotiated = version === 'v1' ? {} : { versionNegotiation: { mode: era === MODERN ? { pin: era } : 'legacy' } };
  const client = new Client({ name: 'proof', version: '1' }, { jsonSchemaValidator: new ToolsureJsonSchemaValidator({ uncompilable: 'refuse' }), ...negotiated });
  const call = (params) => client.callTool(params, ...(version === 'v1' ? [undefined, { timeout: 4000 }] : [{ timeout: 4000 }]));
  try {
    await client.connect(new Answers(one));
    let tools;
    try {
      ({ tools } = await client.listTools(undefined, { timeout: 4000 }));
    } catch (error) {
      return ['listing lost', error.message];
    }
    const good = await call({ name: 'add', arguments: { a: 1, b: 2 } }).catch(() => undefined);
    if (good?.structuredContent?.sum !== 3) return ['good tool lost', ''];
    if (!tools.some((tool) => tool.name === one.call.name)) return ['tool left out', ''];
    try {
      const result = await call(one.call);
      if (one.expected === null) return ['works', ''];
      return [isDeepStrictEqual(result.structuredContent, JSON.parse(one.expected)) ? 'works' : 'other value', ''];
    } catch (error) {
      const ours = error.message.includes("does not match the tool's output schema");
      return [ours ? 'refused by its schema' : 'refused before the provider', error.message];
    }
  } finally {
    await client.close().catch(() => {});
  }
}

/** Cases where a tool or a listing is lost before the provider is asked. */
const OUTSIDE = ['listing lost', 'good tool lost', 'tool left out', 'refused before the provider', 'other value'];

const V1 = 'sdk/dist/esm/client/index.js';
const V2 = 'client/dist/index.mjs';

for (const [version, path, era] of [['v1', V1, '2025-11-25'], ['v2', V2, '2025-11-25'], ['v2', V2, MODERN]]) {
  test(`the client of SDK ${version}, ${era}`, { skip, timeout: 240_000 }, async (t) => {
    const { Client } = await import(pathToFileURL(`${modules}/${path}`));
    const counts = {};
    const wrong = [];
    for (const [one, [word, why]] of await outcomes(cases(era), (one) => outcome(Client, version, era, one))) {
      (counts[word] ??= []).push(one.case);
      if (word !== 'refused by its schema') continue;
      // The provider refuses what the engine refuses, and nothing else.
      const tool = JSON.parse(`{${one.list}}`).result.tools.find((tool) => tool.name === one.call.name);
      const reason = direct(tool.outputSchema, one.expected);
      if (reason === undefined) wrong.push(`${one.case}: ${why}`);
    }
    for (const [word, names] of Object.entries(counts)) t.diagnostic(`${word}: ${names.length}${OUTSIDE.includes(word) ? ` (${names.slice(0, 6).join(', ')}…)` : ''}`);
    assert.deepEqual(wrong, []);
    assert.ok(counts.works.length > 400);
  });
}

/** Each case with its outcome. A client waits some seconds for an answer that is not JSON, so several are asked at once. */
async function outcomes(all, ask) {
  const found = [];
  const waiting = all.entries();
  const next = async () => {
    for (const [at, one] of waiting) found[at] = [one, await ask(one)];
  };
  await Promise.all(Array.from({ length: 16 }, next));
  return found;
}

/** Why the engine refuses a result: nothing if it does not. */
function direct(schema, text) {
  try {
    const result = new Validator(schema, { strictness: 'lenient' }).checkText(text ?? 'null');
    return result.verdict === 'valid' ? undefined : result.message;
  } catch (error) {
    return error.message;
  }
}
