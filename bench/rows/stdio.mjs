// `resources/read` over stdio: processor time per request beside the SDK.
import { builds } from '../build.mjs';
import { commonSkills, readCalls } from '../requests.mjs';
import { median, rowOf } from '../samples.mjs';
import {
  startBuilds,
  startHttp,
  startPeerHttp,
  startPeerStdio,
  startRawStdio,
  startStdio,
  stopAll,
} from '../servers.mjs';
import { askLine, loadLines } from '../stdio-load.mjs';
import { treeOf } from '../tree.mjs';

/** @param {import('../run.mjs').Options} options */
export default async function stdio({ quick, count }) {
  const skills = Math.max(1, count / 10);
  const root = treeOf(skills);
  const overHttp = { ...(await startBuilds((build) => startHttp(build, root))), sdk: await startPeerHttp('sdk', root) };
  const calls = readCalls(await commonSkills(Object.values(overHttp)));
  await stopAll(overHttp);
  const [total, rounds] = quick ? [300, 3] : [2000, 7];
  const rows = [];
  for (const inFlight of [1, 32]) {
    /** @type {Record<string, import('../servers.mjs').Running>} */
    const servers = {};
    for (const build of builds) servers[build.name] = startStdio(build, root);
    servers.sdk = startPeerStdio('sdk', root);
    const sizes = [];
    for (const server of Object.values(servers))
      for (const [at, call] of calls.entries())
        sizes[at] = Buffer.byteLength(JSON.stringify(await askLine(server, call, at + 1)));
    servers.raw = startRawStdio(sizes);
    /** @type {import('../samples.mjs').Samples} */
    const seen = { ours: [] };
    for (let round = -2; round < rounds; round++)
      for (const [name, server] of Object.entries(servers)) {
        const before = server.cpu();
        await loadLines(server, calls, { total, inFlight });
        if (round >= 0) seen[name] = [...(seen[name] ?? []), ((server.cpu() - before) / total) * 1e6];
      }
    await stopAll(servers);
    const { sdk = [], raw = [] } = seen;
    rows.push(
      rowOf(seen, {
        name: `stdio resources/read, ${inFlight} in flight, ${skills} skills`,
        unit: 'x SDK',
        bar: 0.5,
        figure: (measured, round) => measured / (sdk[round] ?? 0),
        peers: 'SDK 1',
        floor: `${median(seen.ours).toFixed(0)} us; SDK ${median(sdk).toFixed(0)}, raw ${median(raw).toFixed(0)}`,
      }),
    );
  }
  return rows;
}
