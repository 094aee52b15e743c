// Makes the tarballs of the command for npm.
//
//   node build.mjs --binary FILE [--target linux-x64] [--out DIR]
//
// writes to DIR (dist)
//   toolsure-VERSION.tgz                   the launcher, whose optional dependencies are the platform packages
//   toolsure-cli-TARGET-VERSION.tgz        the platform package
//   toolsure-VERSION-TARGET.tgz            both in one, for installing from a file: npx ./toolsure-….tgz

import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Every platform that the release builds. */
export const TARGETS = {
  'linux-x64': { os: ['linux'], cpu: ['x64'], libc: ['glibc'] },
  'linux-x64-musl': { os: ['linux'], cpu: ['x64'], libc: ['musl'] },
  'linux-arm64': { os: ['linux'], cpu: ['arm64'], libc: ['glibc'] },
  'linux-arm64-musl': { os: ['linux'], cpu: ['arm64'], libc: ['musl'] },
  'darwin-x64': { os: ['darwin'], cpu: ['x64'] },
  'darwin-arm64': { os: ['darwin'], cpu: ['arm64'] },
  'win32-x64': { os: ['win32'], cpu: ['x64'] },
  'win32-arm64': { os: ['win32'], cpu: ['arm64'] },
};

const { values } = parseArgs({
  options: { binary: { type: 'string' }, target: { type: 'string', default: 'linux-x64' }, out: { type: 'string', default: join(here, 'dist') } },
});
const { binary, target, out } = values;
if (!binary || !(target in TARGETS)) {
  console.error(`usage: node build.mjs --binary FILE [--target ${Object.keys(TARGETS).join('|')}] [--out DIR]`);
  process.exit(2);
}

const root = join(here, '..', '..');
const version = /^version = "([^"]+)"/m.exec(readFileSync(join(root, 'Cargo.toml'), 'utf8'))[1];
const licence = 'MIT OR Apache-2.0';
const platform = `@toolsure/cli-${target}`;
const work = join(out, '.work');
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });

const writeJson = (path, value) => writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
const licences = (folder) => {
  for (const name of ['LICENSE-APACHE', 'LICENSE-MIT']) copyFileSync(join(root, name), join(folder, name));
};
function pack(folder, name) {
  const file = execFileSync('npm', ['pack', '--silent', '--pack-destination', work], { cwd: folder, encoding: 'utf8' }).trim();
  renameSync(join(work, file), join(out, name));
  console.log(join(out, name));
}

const launcher = join(work, 'toolsure');
cpSync(join(here, 'toolsure'), launcher, { recursive: true });
chmodSync(join(launcher, 'bin', 'toolsure.js'), 0o755);
licences(launcher);
const manifest = JSON.parse(readFileSync(join(launcher, 'package.json'), 'utf8'));
manifest.version = version;
manifest.optionalDependencies = Object.fromEntries(Object.keys(TARGETS).map((name) => [`@toolsure/cli-${name}`, version]));
writeJson(join(launcher, 'package.json'), manifest);
pack(launcher, `toolsure-${version}.tgz`);

const packaged = join(work, 'platform');
const program = target.startsWith('win32') ? 'toolsure.exe' : 'toolsure';
mkdirSync(join(packaged, 'bin'), { recursive: true });
copyFileSync(binary, join(packaged, 'bin', program));
chmodSync(join(packaged, 'bin', program), 0o755);
licences(packaged);
writeFileSync(join(packaged, 'README.md'), `The program of the package \`toolsure\` for ${target}.\n`);
writeJson(join(packaged, 'package.json'), {
  name: platform,
  version,
  description: `The program of the package toolsure for ${target}`,
  license: licence,
  ...TARGETS[target],
  files: ['bin'],
  preferUnplugged: true,
});
pack(packaged, `toolsure-cli-${target}-${version}.tgz`);

// The platform package in the launcher's own node_modules.
cpSync(packaged, join(launcher, 'node_modules', platform), { recursive: true });
manifest.dependencies = { [platform]: version };
manifest.bundleDependencies = [platform];
// The other platforms' packages would be looked for in a registry.
delete manifest.optionalDependencies;
writeJson(join(launcher, 'package.json'), manifest);
pack(launcher, `toolsure-${version}-${target}.tgz`);
rmSync(work, { recursive: true });
