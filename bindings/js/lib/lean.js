// The exports of the lean build, for a compiled module.

import { Engine } from './engine.js';
import { validators } from './validator.js';

/** @param {WebAssembly.Module} module */
export function lean(module) {
  return validators(new Engine(module));
}
