// Makes dist/ from lib/, entry/ and the WebAssembly modules: one entry for each runtime.
//
// Node has one instance of the module for `import` and `require`: the ES module re-exports the CommonJS
// one, which is the same source with its imports and exports taken out, file after file.

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const here = (path) => new URL(path, import.meta.url);
const source = (path) => readFileSync(here(path), 'utf8');
const out = (name, text) => writeFileSync(here(`dist/${name}`), text);

const COMMON = ['lib/json.js', 'lib/errors.js', 'lib/engine.js', 'lib/validator.js'];
const VALIDATORS = ['Validator', 'ToolsureJsonSchemaValidator', 'InputError', 'InternalError', 'SchemaError', 'ToolsureError', 'UndecidedError'];
const BUILDS = [
  { name: 'full', api: 'entry/api.js', files: [...COMMON, 'lib/contracts.js'], names: [...VALIDATORS, 'ContractError', 'ToolContract', 'lint'] },
  { name: 'lean', api: 'entry/lean-api.js', files: COMMON, names: VALIDATORS },
];

/** A module without its custom sections: names for debuggers, which are a third of it. */
function stripped(bytes) {
  const kept = [bytes.subarray(0, 8)];
  for (let at = 8; at < bytes.length; ) {
    const start = at;
    let [size, shift] = [0, 0];
    do {
      at++;
      size |= (bytes[at] & 0x7f) << shift;
      shift += 7;
    } while (bytes[at] & 0x80);
    at += 1 + size;
    if (bytes[start] !== 0) kept.push(bytes.subarray(start, at));
  }
  return Buffer.concat(kept);
}

/** A file without its imports and exports. */
function plain(path) {
  return source(path).replace(/^import [^;]*;\n/gm, '').replace(/^export /gm, '').trim();
}

mkdirSync(here('dist'), { recursive: true });
for (const name of ['LICENSE-APACHE', 'LICENSE-MIT']) copyFileSync(here(`../../${name}`), here(`dist/${name}`));
for (const { name, api, files, names } of BUILDS) {
  out(`${name}.wasm`, stripped(readFileSync(here(`dist/${name}.wasm`))));
  const list = names.join(', ');
  const bare = [...files, api].map(plain).join('\n\n');
  // The source has classes of the exported names, so the exports have names of their own inside.
  const exported =
    `const api = ${name}(module);\n` +
    names.map((one) => `const $${one} = api.${one};\n`).join('') +
    `export { ${names.map((one) => `$${one} as ${one}`).join(', ')} };\n`;
  out(
    `${name}.cjs`,
    `'use strict';\n\n${bare}\n\nconst { readFileSync } = require('node:fs');\nconst { join } = require('node:path');\n\n` +
      `module.exports = ${name}(new WebAssembly.Module(readFileSync(join(__dirname, '${name}.wasm'))));\n`,
  );
  out(`${name}-node.mjs`, `import api from './${name}.cjs';\n\nexport const { ${list} } = api;\n`);
  out(`${name}-workerd.mjs`, `import module from './${name}.wasm';\n\n${bare}\n\n${exported}`);
  out(
    `${name}-browser.mjs`,
    `${bare}\n\nconst answer = await fetch(new URL('./${name}.wasm', import.meta.url));\n` +
      `if (!answer.ok) throw new Error(\`toolsure: \${answer.url} answered \${answer.status}\`);\n` +
      `// Servers do not always send the type that compileStreaming asks for.\n` +
      `const module = await WebAssembly.compile(await answer.arrayBuffer());\n\n` +
      exported,
  );
  copyFileSync(here(`types/${name}.d.ts`), here(`dist/${name}.d.ts`));
  // The same declarations, found by `require`.
  copyFileSync(here(`types/${name}.d.ts`), here(`dist/${name}.d.cts`));
}
