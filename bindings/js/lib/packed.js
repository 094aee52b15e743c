// A WebAssembly module that is written in a source file, for bundles that run on Node.

import { Buffer } from 'node:buffer';
import { brotliDecompressSync } from 'node:zlib';

/** The bytes of which a text has the compressed form, in base64. */
export function unpacked(text) {
  return brotliDecompressSync(Buffer.from(text, 'base64'));
}
