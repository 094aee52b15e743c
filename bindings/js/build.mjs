// Makes dist/ from lib/ and the WebAssembly modules: the library as ES modules and as CommonJS, and one entry for
// each way to get at a WebAssembly module.

import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';

const here = (path) => new URL(path, import.meta.url);
const source = (path) => readFileSync(here(path), 'utf8');
const out = (name, text) => writeFileSync(here(`dist/${name}`), text);

const VALIDATORS = ['ToolsureJsonSchemaValidator', 'Validator'];
const BUILDS = {
  full: [...VALIDATORS, 'ToolContract'],
  lean: VALIDATORS,
  analysis: ['argumentSchema', 'check', 'diff', 'generate', 'lint', 'project'],
};
const ERRORS = ['InternalError', 'NotJsonError', 'SchemaError', 'ToolsureError', 'UndecidedError'];
const ERRORS_OF = { full: ['ContractError', ...ERRORS], lean: ERRORS, analysis: ERRORS };

/** Bytes as base64 of their compressed form. */
function packed(bytes) {
  const size = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length, [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS };
  return brotliCompressSync(bytes, { params: size }).toString('base64');
}

/** An ES module as CommonJS. The library writes imports and exports in these forms only. */
function common(text) {
  const names = [];
  const made = text
    .replace(/^import \{([^}]*)\} from '(.*)\.js';$/gm, (_, list, from) => `const {${list}} = require('${from}.cjs');`)
    .replace(/^import \{([^}]*)\} from '(node:.*)';$/gm, (_, list, from) => `const {${list}} = require('${from}');`)
    .replace(/^export \* from '(.*)\.js';$/gm, (_, from) => `Object.assign(exports, require('${from}.cjs'));`)
    .replace(/^export \{([^}]*)\} from '(.*)\.js';$/gm, (_, list, from) => `(({${list}}) => Object.assign(exports, {${list}}))(require('${from}.cjs'));`)
    .replace(/^export const \{([^}]*)\} =/gm, (_, list) => (names.push(...list.split(',').map((name) => name.trim())), `const {${list}} =`))
    .replace(/^export (class|function|const) (\w+)/gm, (_, word, name) => (names.push(name), `${word} ${name}`))
    .replaceAll('import.meta.url', '__filename');
  if (/^(import|export)\b/m.test(made)) throw new Error('a form of import or export that is not converted');
  return `'use strict';\n\n${made}\nObject.assign(exports, { ${names.join(', ')} });\n`;
}

/** An entry: how it gets the module, and the exports. */
function entry(build, before, module) {
  return `${before}import { ${build} } from './${build}.js';\n\nexport { ${ERRORS_OF[build].join(', ')} } from './errors.js';\n\nconst api = ${build}(${module});\nexport const { ${BUILDS[build].join(', ')} } = api;\n`;
}

// Bundlers that know assets look for the `new URL` below, as it stands.
const NODE = (build) =>
  entry(build, `import { compiled } from './file.js';\n`, `compiled(new URL('./${build}.wasm', import.meta.url))`);
const NODE_COMMON = (build) =>
  entry(build, `import { compiled } from './file.js';\nimport { join } from 'node:path';\n`, `compiled(join(__dirname, '${build}.wasm'))`);
const FETCHED = (build) => entry(build, `import { fetched } from './fetched.js';\n`, `await fetched(new URL('./${build}.wasm', import.meta.url))`);
const IMPORTED = (build, query) => entry(build, `import module from './${build}.wasm${query}';\n`, 'module');
const BUN = (build) =>
  entry(build, `import file from './${build}.wasm' with { type: 'file' };\nimport { resolve } from 'node:path';\nimport { compiled } from './file.js';\n`, `compiled(resolve(import.meta.dirname, file))`);
const WRITTEN = (build, bytes) => entry(build, `import { bytes } from './${bytes}.js';\n`, 'new WebAssembly.Module(bytes)');

mkdirSync(here('dist'), { recursive: true });
for (const name of ['LICENSE-APACHE', 'LICENSE-MIT']) copyFileSync(here(`../../${name}`), here(`dist/${name}`));
const library = readdirSync(here('lib')).map((name) => name.replace(/\.js$/, ''));
for (const name of library) {
  out(`${name}.js`, source(`lib/${name}.js`));
  if (name !== 'fetched' && name !== 'packed') out(`${name}.cjs`, common(source(`lib/${name}.js`)));
}
for (const build of Object.keys(BUILDS)) {
  const module = readFileSync(here(`dist/${build}.wasm`));
  out(`${build}-node.js`, NODE(build));
  out(`${build}-node.cjs`, common(NODE_COMMON(build)));
  out(`${build}-browser.js`, FETCHED(build));
  out(`${build}-workerd.js`, IMPORTED(build, ''));
  out(`${build}-edge.js`, IMPORTED(build, '?module'));
  out(`${build}-bun.js`, BUN(build));
  // For bundlers that build for Node: in the bundle itself, since not all of them know assets.
  if (build !== 'analysis') {
    out(`${build}-packed.js`, `import { unpacked } from './packed.js';\n\nexport const bytes = unpacked('${packed(module)}');\n`);
    out(`${build}-bundled.js`, WRITTEN(build, `${build}-packed`));
  }
  // For any runtime that compiles modules.
  if (build === 'lean') {
    const bytes = `import { decoded } from './base64.js';\n\nexport const bytes = decoded('${module.toString('base64')}');\n`;
    out('lean-bytes.js', bytes);
    out('lean-bytes.cjs', common(bytes));
    out('inline.js', WRITTEN(build, 'lean-bytes'));
    out('inline.cjs', common(WRITTEN(build, 'lean-bytes')));
  }
}
out('module.js', `export * from './errors.js';\nexport { analysis } from './analysis.js';\nexport { full } from './full.js';\nexport { lean } from './lean.js';\n`);
out('module.cjs', common(source('dist/module.js')));
for (const name of readdirSync(here('types'))) {
  copyFileSync(here(`types/${name}`), here(`dist/${name}`));
  // The same declarations, found by `require`.
  const text = source(`types/${name}`).replaceAll(/'\.\/(\w+)\.js'/g, "'./$1.cjs'");
  out(name.replace(/\.ts$/, '.cts'), text);
}
