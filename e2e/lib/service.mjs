// The binary under test, started for one suite.
import {spawn, execFileSync} from 'node:child_process';
import {mkdtempSync, writeFileSync, rmSync, existsSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, dirname} from 'node:path';
import {fileURLToPath} from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

// binary returns the program, built unless BELLHOP_BINARY names one.
export function binary() {
  if (process.env.BELLHOP_BINARY) return process.env.BELLHOP_BINARY;
  const path = join(root, 'bin', 'bellhop');
  if (!existsSync(path) || !binary.built) execFileSync('go', ['build', '-buildvcs=false', '-o', path, './cmd/bellhop'], {cwd: root, stdio: 'inherit'});
  binary.built = true;
  return path;
}

// start runs a subcommand of the binary, with a world file if one is given, and waits until it is ready.
export async function start({args = ['dev'], world, env = {}} = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'bellhop-e2e-'));
  const all = [...args, '--listen', '127.0.0.1:0'];
  if (world) {
    writeFileSync(join(dir, 'world.yaml'), world);
    all.push('--world', join(dir, 'world.yaml'));
  }
  const child = spawn(binary(), all.map((a) => a.replace('{dir}', dir)), {env: {...process.env, ...env}, stdio: ['ignore', 'pipe', 'pipe']});
  let out = '';
  let log = '';
  child.stderr.on('data', (d) => { log += d; });
  const origin = await new Promise((done, fail) => {
    const timer = setTimeout(() => fail(new Error(`not ready in time:\n${out}${log}`)), 30000);
    child.on('exit', (code) => fail(new Error(`ended with ${code}:\n${out}${log}`)));
    child.stdout.on('data', (d) => {
      out += d;
      const found = /listening on (http:\S+)/.exec(out);
      if (found) {
        clearTimeout(timer);
        done(found[1]);
      }
    });
  });
  return {
    origin, dir, output: () => out, log: () => log,
    stop: async () => {
      const gone = new Promise((done) => child.once('exit', done));
      child.kill('SIGTERM');
      await gone;
      rmSync(dir, {recursive: true, force: true});
    },
  };
}
