/** The builds for a WebAssembly module that the caller has compiled, from `full.wasm`, `lean.wasm` or `analysis.wasm`. */

import type * as Analysis from './analysis.js';
import type * as Full from './full.js';
import type * as Lean from './lean.js';

export { ContractError, InternalError, NotJsonError, SchemaError, ToolsureError, UndecidedError } from './full.js';

/** A `WebAssembly.Module`, whose type only libraries of browsers and runtimes declare. */
export type WebAssemblyModule = object;

export declare function full(module: WebAssemblyModule): Pick<typeof Full, 'Validator' | 'ToolsureJsonSchemaValidator' | 'ToolContract'>;
export declare function lean(module: WebAssemblyModule): Pick<typeof Lean, 'Validator' | 'ToolsureJsonSchemaValidator'>;
export declare function analysis(module: WebAssemblyModule): Pick<typeof Analysis, 'argumentSchema' | 'check' | 'diff' | 'generate' | 'lint' | 'project'>;
