// A skill of 16 MiB from its archive onto a disk, beside the system's tar. Tar neither hashes nor syncs; we do both.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packArchive } from '../../dist/archive/pack.js';
import { buildEnv, builds } from '../build.mjs';
import { median, rowOf } from '../samples.mjs';
import { start } from '../servers.mjs';

const script = fileURLToPath(new URL('../servers/unpack-skill.mjs', import.meta.url));
const fileCount = 512;
const fileBytes = 32 * 1024;

/** Half of the files are text, half are incompressible bytes. @param {number} index */
function content(index) {
  if (index % 2 === 0)
    return Buffer.from(`Line ${index}: look at the figures first, then write.\n`.repeat(1000)).subarray(0, fileBytes);
  const bytes = Buffer.alloc(fileBytes);
  let state = index;
  for (let at = 0; at < fileBytes; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

/** Milliseconds of CPU of one `tar`, its gzip included. @param {string} archive @param {string} folder @param {number} rounds */
function tarCpu(archive, folder, rounds) {
  for (let round = 0; round < rounds; round++) mkdirSync(join(folder, `tar-${round}`), { recursive: true });
  const loop = Array.from({ length: rounds }, (_, round) => `tar -xzf "$1" -C "$2/tar-${round}"`).join('\n');
  const times = execFileSync('sh', ['-c', `${loop}\ntimes`, 'sh', archive, folder], { encoding: 'utf8' });
  const [, user = '', system = ''] = /\n(\S+) (\S+)\s*$/.exec(times) ?? [];
  return ((seconds(user) + seconds(system)) * 1e3) / rounds;
}

/** Such as `0m1.23s`. @param {string} time */
function seconds(time) {
  const [, minutes, rest] = /^(\d+)m([\d.]+)s$/.exec(time) ?? [];
  return Number(minutes) * 60 + Number(rest);
}

/** @param {import('../run.mjs').Options} options */
export default async function unpack({ quick }) {
  const folder = mkdtempSync(join(tmpdir(), 'skillwire-bench-'));
  const archive = join(folder, 'skill.tar.gz');
  const files = Array.from({ length: fileCount }, (_, index) => ({
    path: `files/part-${index % 16}/number-${index}.bin`,
    bytes: content(index),
    executable: false,
  }));
  writeFileSync(archive, packArchive(files, 'tar.gz'));
  const archives = quick ? 1 : 3;
  /** @type {import('../samples.mjs').Samples} */
  const seen = { ours: [] };
  /** @type {number[]} */
  const tar = [];
  for (let round = 0; round < (quick ? 1 : 5); round++) {
    for (const build of builds) {
      const running = start([script, archive, folder, String(archives)], { env: buildEnv(build) });
      seen[build.name] = [...(seen[build.name] ?? []), Number(await running.line())];
    }
    tar.push(tarCpu(archive, join(folder, `tar-${round}`), archives));
  }
  rmSync(folder, { recursive: true, force: true });
  return [
    rowOf(seen, {
      name: 'unpack a skill of 16 MiB, 512 files',
      unit: 'x tar',
      bar: 3,
      figure: (ms, round) => ms / (tar[round] ?? 0),
      floor: `${median(seen.ours).toFixed(0)} ms; tar ${median(tar).toFixed(0)} ms`,
    }),
  ];
}
