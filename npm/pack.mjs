// Packs the npm packages into a folder: bellhop, bellhop-test, and one package with the binary of each platform.
//
//   node npm/pack.mjs VERSION FOLDER PLATFORM=BINARY…
//
// A platform is called as in Node.js, for example linux-x64. Package bellhop depends on the platforms that are packed.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** @typedef {{ name: string, version: string, [member: string]: unknown }} Manifest */

/**
 * Returns the manifest of the package of a platform.
 * @param {string} platform
 * @param {string} version
 * @returns {Manifest}
 */
function platformManifest(platform, version) {
  const [os, cpu] = platform.split('-');
  return {
    name: `@bellhop/${platform}`,
    version,
    description: `The binary of Bellhop for ${platform}.`,
    license: 'Apache-2.0',
    os: [os],
    cpu: [cpu],
    files: ['bin'],
    preferUnplugged: true,
  };
}

/**
 * Returns the manifest of a folder of this repository with a version.
 * @param {string} folder
 * @param {Partial<Manifest>} changes
 * @returns {Manifest}
 */
function sourceManifest(folder, changes) {
  const { scripts, devDependencies, overrides, ...manifest } = JSON.parse(
    readFileSync(join(root, folder, 'package.json'), 'utf8'),
  );
  return { ...manifest, ...changes };
}

/**
 * Returns the README of a package: its description, and where its documentation is.
 * @param {Manifest} manifest
 */
function readme({ name, description }) {
  return `# ${name}

${description}

Documentation: docs/kits.md in the repository of Bellhop. While \`npx bellhop dev\` runs, it is also at
<http://127.0.0.1:8080/docs/kits.html>.
`;
}

/**
 * Packs files as a package.
 * @param {string} out
 * @param {Manifest} manifest
 * @param {(folder: string) => void} fill writes the files beside package.json
 */
function pack(out, manifest, fill) {
  const folder = mkdtempSync(join(tmpdir(), 'bellhop-npm-'));
  try {
    fill(folder);
    cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
    writeFileSync(join(folder, 'README.md'), readme(manifest));
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', out], {
      cwd: folder,
      stdio: 'inherit',
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {string[]} args */
function main([version, folder, ...binaries]) {
  if (binaries.length === 0) throw new Error('usage: node npm/pack.mjs VERSION FOLDER PLATFORM=BINARY…');
  const out = resolve(folder);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  /** @type {Record<string, string>} */
  const optionalDependencies = {};
  for (const item of binaries) {
    const [platform, binary] = item.split('=');
    const manifest = platformManifest(platform, version);
    optionalDependencies[manifest.name] = version;
    pack(out, manifest, (to) => {
      const file = join(to, 'bin', platform.startsWith('win32') ? 'bellhop.exe' : 'bellhop');
      cpSync(resolve(binary), file, { preserveTimestamps: true });
      chmodSync(file, 0o755);
    });
  }
  pack(out, sourceManifest('npm/bellhop', { version, optionalDependencies }), (to) =>
    cpSync(join(root, 'npm/bellhop'), to, { recursive: true }),
  );
  const dependencies = { bellhop: version };
  pack(out, sourceManifest('kit/node', { version, dependencies }), (to) => {
    for (const file of ['index.js', 'components.js', 'index.d.ts'])
      cpSync(join(root, 'kit/node', file), join(to, file));
  });
}

main(process.argv.slice(2));
