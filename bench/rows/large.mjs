// 100,000 skills: the cost and memory of starting, listing and reading. Only with --large. The SDK takes minutes to start, so only the floors
// are compared.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builds } from '../build.mjs';
import { askOnce } from '../http-load.mjs';
import { perRequest } from '../per-request.mjs';
import { answerSizes, getCalls, httpBytes, listCalls, listedSkills, readCalls } from '../requests.mjs';
import { median, rowOf } from '../samples.mjs';
import { costUntilLine, startHttp, startRawHttp, startWalk, stopAll } from '../servers.mjs';
import { treeOf } from '../tree.mjs';

const skills = 100_000;

export default async function large() {
  const root = treeOf(skills);
  const home = mkdtempSync(join(tmpdir(), 'skillwire-bench-home-'));
  await costUntilLine(startWalk(root));
  const walk = await costUntilLine(startWalk(root));
  /** @type {Record<string, import('../servers.mjs').HttpServer>} */
  const servers = {};
  /** @type {Record<'cpu' | 'rss', import('../samples.mjs').Samples>} */
  const seen = { cpu: { ours: [] }, rss: { ours: [] } };
  for (const build of builds) {
    const server = await startHttp(build, root, { home: join(home, build.name) });
    await askOnce(server.port, httpBytes({ method: 'skills/list', params: {} }, server.port));
    seen.cpu[build.name] = [server.cpu()];
    seen.rss[build.name] = [server.rss()];
    servers[build.name] = server;
  }
  const port = servers.ours?.port ?? 0;
  const listed = await listedSkills(port);
  const rows = [
    rowOf(seen.cpu, {
      name: `start, ${skills} skills, cold cache`,
      unit: 'x walk',
      bar: 2.5,
      figure: (cpu) => cpu / walk,
      peers: 'not tried',
      floor: `walk ${walk.toFixed(1)} s`,
    }),
    rowOf(seen.rss, { name: `memory after start, ${skills} skills`, unit: 'MB', bar: 900, peers: 'not tried' }),
    rowOf({ ours: [listed.pages] }, { name: `pages of ${skills} skills`, unit: 'pages', bar: 64, peers: 'not tried' }),
  ];
  for (const [kind, calls] of Object.entries({
    'skills/get': getCalls(listed.skills),
    'resources/read': readCalls(listed.skills),
    'skills/list page': listCalls(),
  })) {
    const raw = await startRawHttp(await answerSizes(port, calls));
    const total = kind === 'skills/list page' ? 100 : 2000;
    const cost = await perRequest({ ...servers, raw }, calls, { total, inFlight: 32, rounds: 5 });
    await raw.stop();
    const bare = cost.raw ?? [];
    rows.push(
      rowOf(cost, {
        name: `HTTP ${kind}, 32 in flight, ${skills} skills`,
        unit: 'x raw',
        bar: 4.5,
        figure: (measured, round) => measured / (bare[round] ?? 0),
        peers: 'not tried',
        floor: `${median(cost.ours).toFixed(0)} us; raw ${median(bare).toFixed(0)}`,
      }),
    );
  }
  await stopAll(servers);
  rmSync(home, { recursive: true, force: true });
  return rows;
}
