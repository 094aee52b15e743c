// A WebAssembly module from a file.

import { readFileSync } from 'node:fs';

/** The module in a file, given by its path or URL. */
export function compiled(file) {
  let bytes;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    const message = `toolsure: ${error.message}. A bundler has left the WebAssembly file out: docs/typescript.md says how to bundle, or import '@toolsure/validator/inline'`;
    throw new Error(message, { cause: error });
  }
  return new WebAssembly.Module(bytes);
}
