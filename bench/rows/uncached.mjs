// Reads of files that are not in the byte cache, over HTTP: each file of a large catalog is read once.
import { perRequest } from '../per-request.mjs';
import { commonSkills, readAllCalls } from '../requests.mjs';
import { median, rowOf } from '../samples.mjs';
import { startBuilds, startHttp, startPeerHttp, stopAll } from '../servers.mjs';
import { treeOf } from '../tree.mjs';

/** @param {import('../run.mjs').Options} options */
export default async function uncached({ quick, count }) {
  const root = treeOf(count);
  const sdk = await startPeerHttp('sdk', root);
  const [total, rounds] = quick ? [100, 3] : [2000, 7];
  const rows = [];
  for (const [index, inFlight] of [1, 32].entries()) {
    const ours = await startBuilds((build) => startHttp(build, root));
    const calls = readAllCalls(await commonSkills([...Object.values(ours), sdk]));
    const from = index * total * (rounds + 2);
    const cost = await perRequest({ ...ours, sdk }, calls, { total, inFlight, rounds, from });
    await stopAll(ours);
    const theirs = cost.sdk ?? [];
    rows.push(
      rowOf(cost, {
        name: `HTTP resources/read of files not in the cache, ${inFlight} in flight, ${count} skills`,
        unit: 'x SDK',
        bar: 0.4,
        figure: (measured, round) => measured / (theirs[round] ?? 0),
        peers: 'SDK 1',
        floor: `${median(cost.ours).toFixed(0)} us; SDK ${median(theirs).toFixed(0)}`,
      }),
    );
  }
  await sdk.stop();
  return rows;
}
