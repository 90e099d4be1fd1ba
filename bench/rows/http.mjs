// Requests of revision 2026-07-28 over HTTP: processor time per request beside the SDK and beside bare `node:http`. Skillwire's servers are new
// for each row. The peers start slowly, so they stay for all rows of a tree, which favors them.
import { perRequest } from '../per-request.mjs';
import { answerSizes, commonSkills, getCalls, listCalls, readCalls } from '../requests.mjs';
import { median, rowOf } from '../samples.mjs';
import { startBuilds, startHttp, startPeerHttp, startRawHttp, stopAll } from '../servers.mjs';
import { treeOf } from '../tree.mjs';

/** @param {import('../run.mjs').Options} options */
export default async function http({ quick, count }) {
  const rows = [];
  for (const skills of [Math.max(1, count / 10), count]) {
    const root = treeOf(skills);
    const sdk = await startPeerHttp('sdk', root);
    const ext = quick ? undefined : await startPeerHttp('ext', root);
    const sample = await startBuilds((build) => startHttp(build, root));
    const common = await commonSkills([...Object.values(sample), sdk, ...(ext === undefined ? [] : [ext])]);
    const kinds = {
      'skills/get': getCalls(common),
      'resources/read': readCalls(common),
      'skills/list page': listCalls(),
    };
    await stopAll(sample);
    for (const [kind, calls] of Object.entries(kinds)) {
      // One request takes the reference implementation up to half a second.
      const slow = ext && median((await perRequest({ ours: ext }, calls, { total: 3, inFlight: 1, rounds: 1 })).ours);
      for (const inFlight of [1, 32]) {
        const ours = await startBuilds((build) => startHttp(build, root));
        const raw = await startRawHttp(await answerSizes(ours.ours.port, calls));
        const total = (quick ? 300 : 3000) / (kind === 'skills/list page' ? 6 : 1);
        const cost = await perRequest({ ...ours, sdk, raw }, calls, { total, inFlight, rounds: quick ? 3 : 7 });
        await stopAll({ ...ours, raw });
        const name = `HTTP ${kind}, ${inFlight} in flight, ${skills} skills`;
        const { sdk: theirs = [], raw: bare = [] } = cost;
        const floor = `${median(cost.ours).toFixed(0)} us; SDK ${median(theirs).toFixed(0)}, raw ${median(bare).toFixed(0)}`;
        /** @param {readonly number[]} unit */
        const others = (unit) =>
          `SDK ${(median(theirs) / median(unit)).toFixed(1)}${slow === undefined ? '' : `, ext-skills ${(slow / median(unit)).toFixed(1)}`}`;
        const figure = { name, floor };
        rows.push(
          rowOf(cost, {
            ...figure,
            unit: 'x SDK',
            bar: 0.25,
            peers: others(theirs),
            figure: (measured, round) => measured / (theirs[round] ?? 0),
          }),
          rowOf(cost, {
            ...figure,
            unit: 'x raw',
            bar: 1.5,
            peers: others(bare),
            figure: (measured, round) => measured / (bare[round] ?? 0),
          }),
        );
      }
    }
    await stopAll({ sdk, ext });
  }
  return rows;
}
