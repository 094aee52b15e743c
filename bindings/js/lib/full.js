// The exports of the full build, for a compiled module.

import { contracts } from './contracts.js';
import { Engine } from './engine.js';
import { validators } from './validator.js';

/** @param {WebAssembly.Module} module */
export function full(module) {
  const engine = new Engine(module);
  return { ...validators(engine), ...contracts(engine) };
}
