// The exports of the package, for a compiled module. `full` has tool contracts and lint.

import { contracts } from '../lib/contracts.js';
import { Engine } from '../lib/engine.js';
import { ContractError, InputError, InternalError, SchemaError, ToolsureError, UndecidedError } from '../lib/errors.js';
import { validators } from '../lib/validator.js';

const errors = { ContractError, InputError, InternalError, SchemaError, ToolsureError, UndecidedError };

/** @param {WebAssembly.Module} module */
export function full(module) {
  const engine = new Engine(module);
  return { ...validators(engine), ...contracts(engine), ...errors };
}
