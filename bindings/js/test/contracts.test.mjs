// Tool contracts.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ContractError, NotJsonError, ToolContract } from '@toolsure/validator';

const tool = {
  name: 'add',
  description: 'Adds two numbers',
  inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
};

test('calls are held to the input schema', () => {
  const contract = new ToolContract(tool);
  assert.equal(contract.name, 'add');
  assert.deepEqual(contract.checkArguments({ a: 1, b: 2 }), { ok: true, checked: 'valid' });
  const refusal = contract.checkArguments({ a: '1', b: 2 });
  assert.equal(refusal.ok, false);
  assert.equal(refusal.code, 'arguments-invalid');
  assert.equal(refusal.errors[0].instancePath, '/a');
  assert.equal(refusal.result.isError, true);
  assert.equal(contract.checkArguments().code, 'arguments-invalid');
  assert.equal(contract.checkArgumentsText('[]').code, 'call-malformed');
  assert.equal(contract.checkArgumentsText('{').code, 'message-json');
  assert.throws(() => contract.checkArguments({ a: 1n }), NotJsonError);
  const older = new ToolContract(tool, { protocolVersion: '2025-06-18' });
  assert.equal(older.checkArguments({}).error.code, -32602);
});

test('results are held to the output schema', () => {
  const contract = new ToolContract(tool);
  const result = (structuredContent) => ({ resultType: 'complete', content: [], structuredContent });
  assert.equal(contract.checkResult(result({ sum: 3 })).checked, 'valid');
  assert.equal(contract.checkResult(result({ sum: '3' })).code, 'result-invalid');
  assert.equal(contract.checkResult(result(undefined)).code, 'result-missing');
  assert.equal(contract.checkResult({ resultType: 'complete', content: [], isError: true }).checked, 'error-result');
  assert.deepEqual([contract.checkResultText('{').code, contract.checkResultText('{').error.code], ['message-json', -32700]);
  assert.throws(() => contract.checkResult({ a: '\ud800' }), (error) => error instanceof NotJsonError && error.instancePath === '/a');
  const poor = new ToolContract(tool, { limits: { fuel: 1 } });
  assert.equal(poor.checkResult(result({ sum: 3 })).code, 'result-undecided');
});

test('a tool without a contract says why', () => {
  const refused = (definition, options) => {
    try {
      new ToolContract(definition, options);
      return undefined;
    } catch (error) {
      assert.ok(error instanceof ContractError, String(error));
      return [error.code, error.schemaPath];
    }
  };
  assert.deepEqual(refused({ ...tool, outputSchema: { $ref: '#/gone' } }), ['unresolved-ref', '/outputSchema/$ref']);
  assert.equal(refused({ inputSchema: {} })[1], undefined);
  assert.equal(refused(tool, { protocolVersion: 'soon' })[0], 'option');
  assert.equal(refused(tool, { formatz: 'assert' })[0], 'option');
  assert.equal(refused(tool, { limits: NaN })[0], 'option');
  assert.equal(refused({ name: 'x', inputSchema: { const: NaN } })[0], 'tool-json');
});

test('what is undecided says which setting raises the limit, in the form of the protocol version', () => {
  const limits = { limits: { instance: { bytes: 20 } } };
  const wide = { a: 1, b: 2, more: 'x'.repeat(40) };
  for (const [options, member] of [[{}, 'result'], [{ protocolVersion: '2025-06-18' }, 'error']]) {
    const contract = new ToolContract(tool, { ...limits, ...options });
    for (const decision of [contract.checkArguments(wide), contract.checkArgumentsText(JSON.stringify(wide)), contract.checkArgumentsText(Buffer.from(JSON.stringify(wide)))]) {
      assert.deepEqual([decision.ok, decision.code, decision.setting], [false, 'arguments-undecided', 'limits.instance.bytes']);
      assert.ok(member in decision, member);
    }
  }
  const starved = new ToolContract(tool, { limits: { fuel: 1 } });
  const { setting, complete } = starved.checkArguments({ a: 1, b: 2 });
  assert.deepEqual([setting, complete], ['limits.fuel', false]);
});

test('arguments are repaired where the fix is certain', () => {
  const contract = new ToolContract(tool);
  const repaired = contract.repairArguments({ a: '1', b: 2 });
  assert.deepEqual([repaired.outcome, repaired.arguments], ['repaired', { a: 1, b: 2 }]);
  assert.deepEqual(repaired.edits.map((edit) => [edit.pointer, edit.kind, edit.from, edit.to]), [['/a', 'parsed', '"1"', '1']]);
  assert.deepEqual(contract.repairArguments({ a: 1, b: 2 }), { outcome: 'valid' });
  assert.deepEqual(contract.repairArguments({ a: 'one' }), { outcome: 'unrepaired', complete: true });
  assert.throws(() => contract.repairArguments({ a: NaN }), NotJsonError);
  // JSON.parse would read another number than the one that was found valid.
  const below = new ToolContract({ name: 'n', inputSchema: { type: 'object', properties: { n: { type: 'number', exclusiveMaximum: 1 }, l: { type: 'array' } } } });
  for (const given of [{ n: '0.99999999999999999999999' }, { l: '[1e400]' }, { l: '[9007199254740993]' }]) assert.equal(below.repairArguments(given).outcome, 'unrepaired');
  assert.deepEqual(below.repairArguments({ n: '0.5', l: '[1e300, 0.1]' }).arguments, { n: 0.5, l: [1e300, 0.1] });
});

test('a keyword with a value that its dialect forbids is ignored, as in the guard', () => {
  const odd = { ...tool, inputSchema: { type: 'object', properties: { a: { type: 'number', minLength: -1 } } } };
  assert.equal(new ToolContract(odd).checkArguments({ a: 1 }).ok, true);
  assert.throws(() => new ToolContract(odd, { strictness: 'strict' }), ContractError);
});
