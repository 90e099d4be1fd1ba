// `resources/read` over stdio: processor time per request beside the SDK.
import { median } from '../process-cost.mjs';
import { readCalls } from '../requests.mjs';
import { startRawStdio, startStdio } from '../servers.mjs';
import { askLine, loadLines } from '../stdio-load.mjs';
import { treeOf } from '../tree.mjs';

/** @param {import('../run.mjs').Options} options */
export default async function stdio({ quick, count }) {
  const skills = Math.max(1, count / 10);
  const root = treeOf(skills);
  const calls = readCalls(skills);
  const [first] = calls;
  if (first === undefined) return [];
  const ours = startStdio('skillwire', root);
  const bytes = JSON.stringify(await askLine(ours, first, 1)).length;
  const servers = { ours, sdk: startStdio('sdk', root), raw: startRawStdio(bytes) };
  await askLine(servers.sdk, first, 1);
  const [total, rounds] = quick ? [300, 3] : [2000, 7];
  const rows = [];
  for (const inFlight of [1, 32]) {
    /** @type {{ ours: number[], sdk: number[], raw: number[] }} */
    const seen = { ours: [], sdk: [], raw: [] };
    for (let round = -2; round < rounds; round++)
      for (const name of /** @type {const} */ (['ours', 'sdk', 'raw'])) {
        const before = servers[name].cpu();
        await loadLines(servers[name], calls, { total, inFlight });
        if (round >= 0) seen[name].push(((servers[name].cpu() - before) / total) * 1e6);
      }
    const [mine, sdk, raw] = [median(seen.ours), median(seen.sdk), median(seen.raw)];
    rows.push({
      name: `stdio resources/read, ${inFlight} in flight, ${skills} skills`,
      value: mine / sdk,
      unit: 'x SDK',
      bar: 0.5,
      peers: 'SDK 1',
      floor: `${mine.toFixed(0)} us; SDK ${sdk.toFixed(0)}, raw ${raw.toFixed(0)}`,
    });
  }
  for (const server of Object.values(servers)) await server.stop();
  return rows;
}
