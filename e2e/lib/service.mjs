// The binary under test. Each suite starts its own.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

let built = false;

/** binary returns the path of the program. It builds the program unless BELLHOP_BINARY names one. */
export function binary() {
  if (process.env.BELLHOP_BINARY) return process.env.BELLHOP_BINARY;
  const path = join(root, 'bin', 'bellhop');
  const args = ['build', '-buildvcs=false', '-o', path, './cmd/bellhop'];
  if (!built) execFileSync('go', args, { cwd: root, stdio: 'inherit' });
  built = true;
  return path;
}

/**
 * A running service. output and log return what it wrote to standard output and standard error.
 * @typedef {object} Service
 * @property {string} origin
 * @property {string} dir a temporary folder
 * @property {() => string} output
 * @property {() => string} log
 * @property {() => Promise<void>} stop
 */

/**
 * start runs a subcommand of the binary and waits until it listens. {dir} in an argument is the temporary folder.
 * @param {{ args?: string[], world?: string }} [options]
 * @returns {Promise<Service>}
 */
export async function start({ args = ['dev', '--no-demo-app'], world } = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'bellhop-e2e-'));
  const flags = [...args.map((a) => a.replace('{dir}', dir)), '--listen', '127.0.0.1:0'];
  if (world) {
    writeFileSync(join(dir, 'world.yaml'), world);
    flags.push('--world', join(dir, 'world.yaml'));
  }
  const child = spawn(binary(), flags, { cwd: dir, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let log = '';
  child.stderr.on('data', (d) => {
    log += d;
  });
  /** @type {string} */
  const origin = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not ready after 30 s:\n${output}${log}`)), 30000);
    child.on('exit', (code) => reject(new Error(`exited with ${code}:\n${output}${log}`)));
    child.stdout.on('data', (d) => {
      output += d;
      const found = /listening on (http:\S+)/.exec(output);
      if (!found) return;
      clearTimeout(timer);
      resolve(found[1]);
    });
  });
  const stop = async () => {
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await exited;
    rmSync(dir, { recursive: true, force: true });
  };
  return { origin, dir, output: () => output, log: () => log, stop };
}
