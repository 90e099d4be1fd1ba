// Requests of revision 2026-07-28 over HTTP: processor time per request beside the SDK and beside bare `node:http`.
import { askOnce } from '../http-load.mjs';
import { perRequest } from '../per-request.mjs';
import { getCalls, httpBytes, listCalls, readCalls } from '../requests.mjs';
import { startHttp, startRawHttp } from '../servers.mjs';
import { treeOf } from '../tree.mjs';

/** @param {import('../run.mjs').Options} options */
export default async function http({ quick, count }) {
  const rows = [];
  for (const skills of [Math.max(1, count / 10), count]) {
    const root = treeOf(skills);
    const ours = await startHttp('skillwire', root);
    const sdk = await startHttp('sdk', root);
    const ext = quick ? undefined : await startHttp('ext', root);
    const kinds = {
      'skills/get': getCalls(skills),
      'resources/read': readCalls(skills),
      'skills/list page': listCalls(),
    };
    for (const [kind, calls] of Object.entries(kinds)) {
      const [call] = calls;
      if (call === undefined) continue;
      const { bytes } = await askOnce(ours.port, httpBytes(call, ours.port));
      const raw = await startRawHttp(bytes);
      // One request takes the reference implementation up to half a second.
      const slow = ext && (await perRequest({ ext }, calls, { total: 3, inFlight: 1, rounds: 1 })).ext;
      for (const inFlight of [1, 32]) {
        const total = (quick ? 300 : 3000) / (kind === 'skills/list page' ? 6 : 1);
        const cost = await perRequest({ ours, sdk, raw }, calls, { total, inFlight, rounds: quick ? 3 : 7 });
        const name = `HTTP ${kind}, ${inFlight} in flight, ${skills} skills`;
        const floor = `${cost.ours.toFixed(0)} us; SDK ${cost.sdk.toFixed(0)}, raw ${cost.raw.toFixed(0)}`;
        const others = (/** @type {number} */ unit) =>
          `SDK ${(cost.sdk / unit).toFixed(1)}${slow === undefined ? '' : `, ext-skills ${(slow / unit).toFixed(1)}`}`;
        rows.push(
          { name, value: cost.ours / cost.sdk, unit: 'x SDK', bar: 0.25, peers: others(cost.sdk), floor },
          { name, value: cost.ours / cost.raw, unit: 'x raw', bar: 3, peers: others(cost.raw), floor },
        );
      }
      await raw.stop();
    }
    for (const server of [ours, sdk, ext]) await server?.stop();
  }
  return rows;
}
