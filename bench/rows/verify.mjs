// `skillwire verify` of all skills of a server, against plain fetches and hashes of as many bytes.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builds, commandOf } from '../build.mjs';
import { listedSkills } from '../requests.mjs';
import { median, rowOf } from '../samples.mjs';
import { startHttp, startRawHttp } from '../servers.mjs';
import { treeOf } from '../tree.mjs';

/** @param {string} path */
const file = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The cost of a program that exits by itself. @param {readonly string[]} args @param {string} folder @param {readonly number[]} [codes] */
async function costOf(args, folder, codes = [0]) {
  const env = { ...process.env, BENCH_COST: join(folder, 'cost.json'), SKILLWIRE_HOME: join(folder, 'home') };
  const child = spawn(process.execPath, ['--import', file('../servers/cost-probe.mjs'), ...args], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  /** @type {number} */
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (!codes.includes(code)) throw new Error(`${args.join(' ')} ended with ${code}`);
  return /** @type {{ cpu: number, rss: number }} */ (JSON.parse(readFileSync(env.BENCH_COST, 'utf8')));
}

/** Bytes of the JSON around a file. */
const envelopeBytes = 1024;

/** @param {import('../run.mjs').Options} options */
export default async function verify({ quick, count }) {
  const server = await startHttp(/** @type {import('../build.mjs').Build} */ (builds[0]), treeOf(count));
  const { skills } = await listedSkills(server.port);
  const sizes = skills.flatMap(({ resources }) => resources.map(({ size }) => size + envelopeBytes));
  const most = 1_000;
  const raw = await startRawHttp(sizes.filter((_, at) => at % Math.ceil(sizes.length / most) === 0));
  const folder = mkdtempSync(join(tmpdir(), 'skillwire-bench-'));
  const origin = `bench=mcp:http://127.0.0.1:${server.port}/mcp`;
  /** @type {Record<'cpu' | 'rss', import('../samples.mjs').Samples>} */
  const seen = { cpu: { ours: [] }, rss: { ours: [] } };
  /** @type {number[]} */
  const floors = [];
  for (let round = 0; round < (quick ? 1 : 3); round++) {
    for (const build of builds) {
      const args = [commandOf(build), 'verify', origin, '--quiet', '--era', 'modern'];
      // A realistic tree has skills with findings.
      const measured = await costOf(args, folder, [0, 1]);
      seen.cpu[build.name] = [...(seen.cpu[build.name] ?? []), measured.cpu];
      seen.rss[build.name] = [...(seen.rss[build.name] ?? []), measured.rss];
    }
    const bare = await costOf([file('../servers/fetch-floor.mjs'), String(raw.port), String(sizes.length)], folder);
    floors.push(bare.cpu);
  }
  await server.stop();
  await raw.stop();
  rmSync(folder, { recursive: true, force: true });
  return [
    rowOf(seen.cpu, {
      name: `verify ${count} skills over HTTP`,
      unit: 'x bare',
      bar: 1.8,
      figure: (cpu, round) => cpu / (floors[round] ?? 0),
      floor: `${median(seen.cpu.ours).toFixed(1)} s; bare fetches and hashes ${median(floors).toFixed(1)} s`,
    }),
    rowOf(seen.rss, { name: `memory of verify, ${count} skills`, unit: 'MB', bar: 200 }),
  ];
}
