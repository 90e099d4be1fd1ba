// A binary file of 16 MiB read over HTTP: the longest time on the processor between two turns of the server's event loop.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { builds } from '../build.mjs';
import { askOnce } from '../http-load.mjs';
import { httpBytes } from '../requests.mjs';
import { median, rowOf } from '../samples.mjs';
import { startHttp, startPeerHttp } from '../servers.mjs';
import { freshTree } from '../tree.mjs';

const probe = fileURLToPath(new URL('../servers/stall-probe.mjs', import.meta.url));
const uri = 'skill://large/data.bin';

const probed = { nodeArgs: ['--import', probe], ipc: true };

/** @param {import('../servers.mjs').HttpServer} server */
async function longestStall(server) {
  await askOnce(server.port, httpBytes({ method: 'skills/list', params: {} }, server.port));
  await sleep(500);
  const stalls = [];
  for (let round = 0; round < 3; round++) {
    await server.tell();
    const { result } = await askOnce(
      server.port,
      httpBytes({ method: 'resources/read', params: { uri } }, server.port),
    );
    if (result.contents[0].blob.length < 16 << 20) throw new Error('the file is not whole');
    stalls.push(/** @type {{ longestMs: number }} */ (await server.tell()).longestMs);
  }
  await server.stop();
  return Math.max(...stalls);
}

/** @param {import('../run.mjs').Options} options */
export default async function stall({ quick }) {
  const root = freshTree(3, 'stall');
  const folder = join(root, 'large');
  mkdirSync(folder);
  const head = '---\nname: large\ndescription: Has a large file.\n---\n';
  writeFileSync(join(folder, 'SKILL.md'), head);
  const bytes = Buffer.alloc((16 << 20) - 4096);
  for (let index = 0; index < bytes.length; index += 4) bytes.writeUInt32LE((index * 2654435761) >>> 0, index);
  writeFileSync(join(folder, 'data.bin'), bytes);
  /** @type {import('../samples.mjs').Samples} */
  const seen = { ours: [] };
  for (let round = 0; round < (quick ? 1 : 3); round++) {
    for (const build of builds)
      seen[build.name] = [...(seen[build.name] ?? []), await longestStall(await startHttp(build, root, probed))];
    seen.sdk = [...(seen.sdk ?? []), await longestStall(await startPeerHttp('sdk', root, probed))];
  }
  rmSync(root, { recursive: true, force: true });
  return [
    rowOf(seen, {
      name: 'longest stall while 16 MiB are read over HTTP',
      unit: 'ms',
      bar: 100,
      peers: `SDK ${median(seen.sdk ?? []).toFixed(0)} ms`,
    }),
  ];
}
