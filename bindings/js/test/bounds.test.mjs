// Hostile schemas and instances end, and memory does not grow.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { InputError, SchemaError, Validator } from '@toolgate/validator';

import { shared } from './shared.mjs';

const generator = shared('hostile/generate.py');

test('the hostile set ends with an answer', { skip: generator.skip }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-hostile-'));
  try {
    execFileSync('python3', [generator.path, folder], { stdio: 'ignore' });
    const index = readFileSync(join(folder, 'index.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line));
    const wrong = [];
    const slow = [];
    for (const { name, n, schema, instance, expect, decide, format } of index) {
      const from = process.cpuUsage();
      const answer = judge(readFileSync(join(folder, schema)), readFileSync(join(folder, instance)), format);
      const used = process.cpuUsage(from);
      slow.push([(used.user + used.system) / 1000, `${name}.${n}`]);
      const right = expect === null ? answer !== 'undecided' : answer === (expect ? 'valid' : 'invalid');
      const honest = !decide && !['valid', 'invalid'].includes(answer);
      if (!right && !honest) wrong.push(`${name}.${n}: ${answer}`);
    }
    slow.sort(([a], [b]) => b - a);
    t.diagnostic(`${index.length} pairs; most CPU: ${slow.slice(0, 5).map(([ms, name]) => `${name} ${ms.toFixed(0)} ms`).join(', ')}`);
    assert.deepEqual(wrong, []);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function judge(schema, instance, formats) {
  let validator;
  try {
    validator = new Validator(schema, formats ? { formats: 'assert' } : undefined);
    return validator.validateText(instance).verdict;
  } catch (error) {
    if (error instanceof SchemaError || error instanceof InputError) return error.code;
    throw error;
  } finally {
    validator?.dispose();
  }
}

test('compiling, checking and forgetting again and again takes no more memory', (t) => {
  const cycles = Number(process.env.TOOLGATE_CYCLES ?? 20_000);
  const schema = {
    type: 'object',
    properties: { id: { type: 'integer' }, tag: { type: 'string', pattern: '^[a-z]+$' }, list: { type: 'array', uniqueItems: true } },
    required: ['id'],
  };
  const cycle = () => {
    const validator = new Validator(schema);
    assert.equal(validator.isValid({ id: 1, tag: 'abc', list: [1, 2] }), true);
    assert.equal(validator.validate({ tag: 'ABC', list: [1, 1] }).errors.length, 3);
    validator.dispose();
  };
  for (let warm = 0; warm < 1_000; warm++) cycle();
  const before = Validator.memoryBytes();
  for (let count = 0; count < cycles; count++) cycle();
  const after = Validator.memoryBytes();
  t.diagnostic(`${cycles} cycles; WebAssembly memory ${before} bytes before, ${after} after`);
  assert.equal(after, before);
});

test('validators that nobody holds are collected', { skip: globalThis.gc ? false : 'needs node --expose-gc' }, async () => {
  const make = () => {
    for (let count = 0; count < 5_000; count++) new Validator({ properties: { a: { enum: Array.from({ length: 50 }, (_, at) => `word${at}`) } } });
  };
  const settle = async () => {
    for (let turn = 0; turn < 10; turn++) {
      globalThis.gc();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  make();
  await settle();
  const before = Validator.memoryBytes();
  for (let round = 0; round < 5; round++) {
    make();
    await settle();
  }
  assert.ok(Validator.memoryBytes() <= before * 1.5, `${before} bytes became ${Validator.memoryBytes()}`);
});
