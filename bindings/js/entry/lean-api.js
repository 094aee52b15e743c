// The exports of the lean build, for a compiled module.

import { Engine } from '../lib/engine.js';
import { InputError, InternalError, SchemaError, ToolsureError, UndecidedError } from '../lib/errors.js';
import { validators } from '../lib/validator.js';

/** @param {WebAssembly.Module} module */
export function lean(module) {
  return { ...validators(new Engine(module)), InputError, InternalError, SchemaError, ToolsureError, UndecidedError };
}
