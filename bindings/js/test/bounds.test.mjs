// Hostile schemas and instances end, and memory does not grow.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { ContractError, NotJsonError, SchemaError, ToolContract, UndecidedError, Validator } from '@toolsure/validator';
import { lint } from '@toolsure/validator/analysis';

import { shared } from './shared.mjs';

const generator = shared('hostile/generate.py');

test('the hostile set ends with an answer', { skip: generator.skip }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'toolsure-hostile-'));
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
    return validator.checkText(instance).verdict;
  } catch (error) {
    if (error instanceof SchemaError || error instanceof NotJsonError) return error.code;
    throw error;
  } finally {
    validator?.dispose();
  }
}

test('compiling, checking and forgetting again and again takes no more memory', (t) => {
  const cycles = Number(process.env.TOOLSURE_CYCLES ?? 20_000);
  const schema = {
    type: 'object',
    properties: { id: { type: 'integer' }, tag: { type: 'string', pattern: '^[a-z]+$' }, list: { type: 'array', uniqueItems: true } },
    required: ['id'],
  };
  const cycle = () => {
    const validator = new Validator(schema);
    assert.equal(validator.isValid({ id: 1, tag: 'abc', list: [1, 2] }), true);
    assert.equal(validator.check({ tag: 'ABC', list: [1, 1] }).errors.length, 3);
    validator.dispose();
  };
  for (let warm = 0; warm < 1_000; warm++) cycle();
  const before = Validator.memoryBytes();
  for (let count = 0; count < cycles; count++) cycle();
  const after = Validator.memoryBytes();
  t.diagnostic(`${cycles} cycles; WebAssembly memory ${before} bytes before, ${after} after`);
  assert.equal(after, before);
});

test('what is over a limit is refused before it takes memory', () => {
  const MiB = 1 << 20;
  const long = (bytes) => 'y'.repeat(bytes);
  const of = (type, code) => (error) => error instanceof type && error.code === code && /limit of \d+ bytes|more schema bytes than/.test(error.message);
  const validator = new Validator(true);
  const contract = new ToolContract({ name: 't', inputSchema: { type: 'object' } });
  /** Three ways to check what is over the limit: a boolean, a verdict and a decision. */
  const overLimit = (isValid, check, checkResult) => {
    const setting = 'limits.instance.bytes';
    assert.throws(isValid, (error) => error instanceof UndecidedError && error.setting === setting && /limit of \d+ bytes/.test(error.message));
    const result = check();
    assert.deepEqual([result.verdict, result.setting], ['undecided', setting]);
    const decision = checkResult();
    assert.deepEqual([decision.ok, decision.code, decision.setting, decision.result.isError], [false, 'result-undecided', setting, true]);
  };
  const before = Validator.memoryBytes();
  // Two bytes a character: over the limit although there are fewer characters.
  const wide = 'é'.repeat(9 * MiB);
  for (const text of [long(16 * MiB + 1), long(100 * MiB), Buffer.alloc(100 * MiB, 32), new ArrayBuffer(100 * MiB)]) {
    overLimit(() => validator.isValidText(text), () => validator.checkText(text), () => contract.checkResultText(text));
    assert.equal(contract.checkArgumentsText(text).code, 'arguments-undecided');
  }
  for (const value of [long(100 * MiB), [long(8 * MiB), long(8 * MiB)], { [long(17 * MiB)]: 1 }, new Array(9 * MiB).fill(1), '\u0000'.repeat(100 * MiB)]) {
    overLimit(() => validator.isValid(value), () => validator.check(value), () => contract.checkResult(value));
    assert.equal(contract.checkArguments(value).code, 'arguments-undecided');
  }
  assert.throws(() => new Validator(long(MiB + 1)), (error) => of(SchemaError, 'limit')(error) && error.setting === 'limits.schema_bytes');
  assert.throws(() => new Validator({ description: long(MiB) }), of(SchemaError, 'limit'));
  assert.throws(() => new Validator(long(3), { limits: { schema_bytes: 2 } }), of(SchemaError, 'limit'));
  assert.throws(() => new Validator(true, { documents: { 'urn:a': long(17 * MiB) } }), of(SchemaError, 'option'));
  assert.throws(() => new ToolContract(long(64 * MiB + 1)), of(ContractError, 'tool-json'));
  assert.throws(() => lint(long(64 * MiB + 1)), of(SchemaError, 'listing'));
  assert.throws(() => lint([{ name: 't', description: long(64 * MiB) }]), of(SchemaError, 'listing'));
  assert.ok(Validator.memoryBytes() - before < MiB, `${before} bytes became ${Validator.memoryBytes()}`);
  // Only the bytes show that it is too long: as much memory as the limit is needed.
  overLimit(() => validator.isValid(wide), () => validator.checkText(`"${wide}"`), () => contract.checkResult(wide));
  assert.ok(Validator.memoryBytes() - before < 18 * MiB, `${before} bytes became ${Validator.memoryBytes()}`);
});

test('what is exactly at a limit is read', () => {
  const validator = new Validator({ type: 'string' }, { limits: { instance: { bytes: 8 } } });
  const schema = JSON.stringify({ description: 'é' });
  const bytes = Buffer.byteLength(schema);
  for (const [value, fits] of [['123456', true], ['1234567', false], ['ééé', true], ['éééé', false], ['1é😀', false], ['é😀', true], ['\n\n\n', true], ['\n\n\n\n', false]]) {
    for (const check of [() => validator.isValid(value), () => validator.isValidText(JSON.stringify(value)), () => validator.isValidText(Buffer.from(JSON.stringify(value)))]) {
      if (fits) assert.equal(check(), true, value);
      else assert.throws(check, UndecidedError, value);
    }
  }
  assert.equal(new Validator(schema, { limits: { schema_bytes: bytes } }).isValid(1), true);
  assert.throws(() => new Validator(schema, { limits: { schema_bytes: bytes - 1 } }), (error) => error.code === 'limit');
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
