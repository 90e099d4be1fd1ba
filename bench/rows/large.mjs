// 100,000 skills: that it starts, lists and reads, at what cost and with how much memory. Only with --large. The SDK would take
// minutes to start, so the floors alone stand beside.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askOnce } from '../http-load.mjs';
import { perRequest } from '../per-request.mjs';
import { getCalls, httpBytes, listCalls, readCalls } from '../requests.mjs';
import { startHttp, startRawHttp, startWalk } from '../servers.mjs';
import { treeOf } from '../tree.mjs';

const skills = 100_000;

export default async function large() {
  const root = treeOf(skills);
  const home = mkdtempSync(join(tmpdir(), 'skillwire-bench-home-'));
  const warming = startWalk(root);
  await warming.line();
  await warming.stop();
  const walk = startWalk(root);
  await walk.line();
  const floor = walk.cpu();
  await walk.stop();
  const ours = await startHttp('skillwire', root, { home });
  const page = await askOnce(ours.port, httpBytes({ method: 'skills/list', params: {} }, ours.port));
  const [cpu, rss] = [ours.cpu(), ours.rss()];
  const rows = [
    {
      name: `start, ${skills} skills, cold cache`,
      value: cpu / floor,
      unit: 'x walk',
      bar: 3,
      peers: 'not tried',
      floor: `walk ${floor.toFixed(1)} s`,
    },
    { name: `memory after start, ${skills} skills`, value: rss, unit: 'MB', bar: 900, peers: 'not tried' },
    {
      name: `pages of ${skills} skills`,
      value: Math.ceil(skills / page.result.skills.length),
      unit: 'pages',
      bar: 64,
      peers: 'not tried',
    },
  ];
  for (const [kind, calls] of Object.entries({
    'skills/get': getCalls(skills),
    'resources/read': readCalls(skills),
    'skills/list page': listCalls(),
  })) {
    const [call] = calls;
    if (call === undefined) continue;
    const { bytes } = await askOnce(ours.port, httpBytes(call, ours.port));
    const raw = await startRawHttp(bytes);
    const total = kind === 'skills/list page' ? 100 : 2000;
    const cost = await perRequest({ ours, raw }, calls, { total, inFlight: 32, rounds: 5 });
    await raw.stop();
    rows.push({
      name: `HTTP ${kind}, 32 in flight, ${skills} skills`,
      value: cost.ours / cost.raw,
      unit: 'x raw',
      bar: 4.5,
      peers: 'not tried',
      floor: `${cost.ours.toFixed(0)} us; raw ${cost.raw.toFixed(0)}`,
    });
  }
  await ours.stop();
  rmSync(home, { recursive: true, force: true });
  return rows;
}
