// The entry for workerd, in workerd itself: no `eval`, and a WebAssembly module that only an import can bring.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const workerd = at('../dev/node_modules/.bin/workerd');
const skip = existsSync(workerd) ? false : 'needs dev/node_modules';

/** The files of the library that the builds import. */
const LIBRARY = ['contracts', 'engine', 'errors', 'full', 'handle', 'json', 'lean', 'validator'];

const worker = (name) => `
import { SchemaError, UndecidedError, Validator } from './${name}-workerd.js';

const same = (found, expected) => {
  if (found !== expected) throw new Error(\`expected \${expected}, found \${found}\`);
};
const thrown = (call) => {
  try {
    call();
  } catch (error) {
    return error.constructor;
  }
};

export default {
  test() {
    const validator = new Validator({ type: 'object', properties: { limit: { type: 'integer' } }, required: ['limit'] });
    same(validator.isValid({ limit: 1 }), true);
    same(validator.isValid({ limit: 'x' }), false);
    same(validator.isValidText(new TextEncoder().encode('{"limit": 2}')), true);
    same(validator.check({}).verdict, 'invalid');
    same(thrown(() => new Validator({ type: 'strng' })), SchemaError);
    const starved = new Validator({ items: { type: 'integer' } }, { limits: { fuel: 100 } });
    same(thrown(() => starved.isValid(Array(10000).fill(1))), UndecidedError);
    same(new Validator({ pattern: '^(a+)+$' }).isValid('a'.repeat(5000) + '!'), false);
  },
};
`;

const config = (name) => `
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (services = [(name = "main", worker = (
  compatibilityDate = "2026-01-01",
  modules = [
    (name = "worker.mjs", esModule = embed "worker.mjs"),
${[`${name}-workerd`, ...LIBRARY].map((file) => `    (name = "${file}.js", esModule = embed "${file}.js"),`).join('\n')}
    (name = "${name}.wasm", wasm = embed "${name}.wasm"),
  ],
))]);
`;

for (const name of ['full', 'lean']) {
  test(`the ${name} build`, { skip, timeout: 60_000 }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolsure-workerd-'));
    try {
      for (const file of [`${name}.wasm`, ...[`${name}-workerd`, ...LIBRARY].map((one) => `${one}.js`)]) copyFileSync(at(`../dist/${file}`), join(folder, file));
      writeFileSync(join(folder, 'worker.mjs'), worker(name));
      writeFileSync(join(folder, 'config.capnp'), config(name));
      const { status, stderr } = spawnSync(workerd, ['test', join(folder, 'config.capnp')], { encoding: 'utf8' });
      assert.equal(status, 0, stderr);
      assert.match(stderr, /\[ PASS \] main/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
