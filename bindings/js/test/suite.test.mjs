// The official JSON Schema test suite, as text and as JavaScript values, in both builds.
//
// As the suite's README asks: remote documents are registered under http://localhost:1234/, `format` is
// asserted in optional/format and an annotation elsewhere, and a schema without `$schema` is of the dialect
// whose folder it lies in. The full build has no exclusions.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';

import * as full from '@toolsure/validator';
import * as lean from '@toolsure/validator/lean';

import { members, parts } from './raw.mjs';
import { shared } from './shared.mjs';

const suite = shared('suites/json-schema-test-suite');
const DIALECTS = { draft4: 'draft4', draft6: 'draft6', draft7: 'draft7', 'draft2019-09': '2019-09', 'draft2020-12': '2020-12' };

/** What the lean build has as annotations. */
const ANNOTATIONS = ['hostname', 'idn-hostname', 'idn-email', 'regex', 'ecmascript-regex'].map((name) => `optional/format/${name}.json`);

function files(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

function documents() {
  const folder = join(suite.path, 'remotes');
  const kept = files(folder).filter((path) => !/^(draft3|v1|draft-next)\//.test(relative(folder, path)));
  return Object.fromEntries(kept.map((path) => [`http://localhost:1234/${relative(folder, path)}`, readFileSync(path, 'utf8')]));
}

/** Runs one dialect; returns what did not come out as the suite says. */
function run({ Validator }, folder, dialect, remotes) {
  const root = join(suite.path, 'tests', folder);
  const found = { count: 0, values: 0, wrong: [], refused: [] };
  for (const path of files(root)) {
    const file = relative(root, path);
    const options = { default_dialect: dialect, documents: remotes };
    if (file.startsWith('optional/format/')) options.formats = 'assert';
    if (file === 'optional/content.json') options.content = 'assert';
    for (const group of parts(readFileSync(path, 'utf8')).map(members)) {
      let validator;
      try {
        validator = new Validator(group.schema, options);
      } catch (error) {
        found.refused.push(`${file}: ${group.description}: ${error.message}`);
        continue;
      }
      for (const one of parts(group.tests).map(members)) {
        const expected = one.valid === 'true' ? 'valid' : 'invalid';
        const name = `${file}: ${group.description}: ${one.description}`;
        found.count++;
        if (validator.checkText(one.data).verdict !== expected) found.wrong.push(name);
        // Numbers that a double does not hold are another value in JavaScript, and 1.0 is written 1, which draft 4 tells apart.
        const value = JSON.parse(one.data);
        if (dialect === 'draft4' && /\d\.0\b/.test(one.data)) continue;
        if (new Validator(`{"const": ${one.data}}`).isValid(value)) {
          found.values++;
          if (validator.check(value).verdict !== expected) found.wrong.push(`${name} (as a value)`);
        }
      }
      validator.dispose();
    }
  }
  return found;
}

for (const [folder, dialect] of Object.entries(DIALECTS)) {
  test(`full: ${folder}`, { skip: suite.skip }, (t) => {
    const found = run(full, folder, dialect, documents());
    t.diagnostic(`${found.count} tests as text, ${found.values} as values`);
    assert.deepEqual([found.wrong, found.refused], [[], []]);
    assert.ok(found.count > 500);
  });

  test(`lean: ${folder}`, { skip: suite.skip }, (t) => {
    const found = run(lean, folder, dialect, documents());
    const wrong = found.wrong.filter((name) => !ANNOTATIONS.some((file) => name.startsWith(file)));
    t.diagnostic(`${found.count} tests as text, ${found.values} as values; ${found.refused.length} schemas refused`);
    assert.deepEqual(wrong, []);
    for (const refusal of found.refused) assert.match(refusal, /without a table here/);
  });
}
