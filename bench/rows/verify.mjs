// `skillwire verify` of everything a server serves, beside bare fetches and hashes of as many bytes.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from '../process-cost.mjs';
import { startHttp, startRawHttp } from '../servers.mjs';
import { treeOf } from '../tree.mjs';

/** @param {string} path */
const file = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The cost of a program that exits by itself. @param {readonly string[]} args @param {string} folder */
async function costOf(args, folder) {
  const env = { ...process.env, BENCH_COST: join(folder, 'cost.json'), SKILLWIRE_HOME: join(folder, 'home') };
  const child = spawn(process.execPath, ['--import', file('../servers/cost-probe.mjs'), ...args], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return /** @type {{ cpu: number, rss: number }} */ (JSON.parse(readFileSync(env.BENCH_COST, 'utf8')));
}

/** @param {import('../run.mjs').Options} options */
export default async function verify({ quick, count }) {
  const server = await startHttp('skillwire', treeOf(count));
  const raw = await startRawHttp(4096 + 1024);
  const folder = mkdtempSync(join(tmpdir(), 'skillwire-bench-'));
  const origin = `bench=mcp:http://127.0.0.1:${server.port}/mcp`;
  const ratios = [];
  let [memory, ours, floor] = [0, 0, 0];
  for (let round = 0; round < (quick ? 1 : 3); round++) {
    const args = [file('../../dist/cli/main.js'), 'verify', origin, '--quiet', '--era', 'modern'];
    const mine = await costOf(args, folder);
    const bare = await costOf([file('../servers/fetch-floor.mjs'), String(raw.port), String(count * 5)], folder);
    ratios.push(mine.cpu / bare.cpu);
    [memory, ours, floor] = [Math.max(memory, mine.rss), mine.cpu, bare.cpu];
  }
  await server.stop();
  await raw.stop();
  rmSync(folder, { recursive: true, force: true });
  const figures = `${ours.toFixed(1)} s; bare fetches and hashes ${floor.toFixed(1)} s`;
  return [
    { name: `verify ${count} skills over HTTP`, value: median(ratios), unit: 'x bare', bar: 4, floor: figures },
    { name: `memory of verify, ${count} skills`, value: memory, unit: 'MB', bar: 200 },
  ];
}
