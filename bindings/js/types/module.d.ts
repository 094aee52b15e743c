/** The builds for a WebAssembly module that the caller has compiled, from `full.wasm`, `lean.wasm` or `analysis.wasm`. */

import type * as Analysis from './analysis.js';
import type * as Full from './full.js';
import type * as Lean from './lean.js';

export { ContractError, InternalError, NotJsonError, SchemaError, ToolsureError, UndecidedError } from './full.js';

export declare function full(module: WebAssembly.Module): Pick<typeof Full, 'Validator' | 'ToolsureJsonSchemaValidator' | 'ToolContract'>;
export declare function lean(module: WebAssembly.Module): Pick<typeof Lean, 'Validator' | 'ToolsureJsonSchemaValidator'>;
export declare function analysis(module: WebAssembly.Module): Pick<typeof Analysis, 'argumentSchema' | 'check' | 'diff' | 'lint' | 'project'>;
