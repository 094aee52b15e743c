// What the compiler must accept, and what it must refuse. Never run.

import { Client as ClientV2 } from '../dev/node_modules/@modelcontextprotocol/client/dist/index.mjs';
import { Client as ClientV1 } from '../dev/node_modules/@modelcontextprotocol/sdk/dist/esm/client/index.js';

import { ToolContract, ToolsureJsonSchemaValidator, Validator } from '@toolsure/validator';
import { generate, lint, project } from '@toolsure/validator/analysis';
import { Validator as InlineValidator } from '@toolsure/validator/inline';
import { full } from '@toolsure/validator/module';
import { Validator as LeanValidator } from '@toolsure/validator/lean';

const validator = new Validator({ type: 'string' }, { formats: 'assert', limits: { fuel: 1000 } });
const result = validator.checkText(new Uint8Array());
switch (result.verdict) {
  case 'valid':
    break;
  case 'invalid':
    for (const error of result.errors) {
      if (error.kind.name === 'required') error.kind.missing.join();
      // @ts-expect-error a type error has no `missing`
      if (error.kind.name === 'type') error.kind.missing;
    }
    break;
  case 'undecided':
    result.message satisfies string;
    break;
  default:
    result satisfies never;
}
// @ts-expect-error there is no such format setting
new Validator(true, { formats: 'yes' });
// @ts-expect-error only text can be read
validator.checkText({});

new LeanValidator('{}').isValid(1) satisfies boolean;
const found: unknown = { id: 1 };
if (new Validator<{ id: number }>('{}').isValid(found)) found.id satisfies number;
{
  using scoped = new Validator(true);
  scoped.isValid(1);
}
new ToolContract({ name: 'a', inputSchema: {} }).checkArguments({}).ok satisfies boolean;
new InlineValidator(true).isValid(1) satisfies boolean;
new (full({}).Validator)(true);
project([], { for: 'openai' }).call('a').decision.ok satisfies boolean;
lint([]).findings.map((finding) => finding.code satisfies string);

generate({ type: 'string' }, { seed: 2, formats: 'assert' }).invalid.map((one) => one.keywordLocation satisfies string);
// @ts-expect-error there is no such option
generate(true, { sead: 2 });

// Both SDKs take the provider as it is.
new ClientV2({ name: 'a', version: '1' }, { jsonSchemaValidator: new ToolsureJsonSchemaValidator() });
new ClientV1({ name: 'a', version: '1' }, { jsonSchemaValidator: new ToolsureJsonSchemaValidator({ uncompilable: 'throw' }) });

// A validator without a type says nothing about the value.
const untyped = new Validator({});
export function kept(given: string | number): string {
  if (untyped.isValid(given)) return 'valid';
  return given.toString();
}
