// Tool contracts and lint.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ContractError, InputError, SchemaError, ToolContract, lint } from '@toolsure/validator';

const tool = {
  name: 'add',
  description: 'Adds two numbers',
  inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
};

test('calls are held to the input schema', () => {
  const contract = new ToolContract(tool);
  assert.equal(contract.name, 'add');
  assert.deepEqual(contract.checkArguments({ a: 1, b: 2 }), { pass: true, checked: 'valid' });
  const refusal = contract.checkArguments({ a: '1', b: 2 });
  assert.equal(refusal.pass, false);
  assert.equal(refusal.code, 'arguments-invalid');
  assert.equal(refusal.errors[0].instancePath, '/a');
  assert.equal(refusal.result.isError, true);
  assert.equal(contract.checkArguments().code, 'arguments-invalid');
  assert.equal(contract.checkArgumentsText('[]').code, 'call-malformed');
  assert.equal(contract.checkArgumentsText('{').code, 'message-json');
  assert.throws(() => contract.checkArguments({ a: 1n }), InputError);
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
  assert.throws(() => contract.checkResultText('{'), InputError);
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
});

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
  for (const [listing, options] of [['{', {}], [{}, {}], [[], { profiles: ['gemini9'] }], [[], { allow: ['TL999'] }], [[], { x: 1 }]]) {
    assert.throws(() => lint(listing, options), SchemaError);
  }
});
