// Reads of files that are not in the byte cache, over HTTP: each file of a large catalog is asked for once.
import { perRequest } from '../per-request.mjs';
import { readAllCalls } from '../requests.mjs';
import { startHttp } from '../servers.mjs';
import { treeOf } from '../tree.mjs';

/** @param {import('../run.mjs').Options} options */
export default async function uncached({ quick, count }) {
  const root = treeOf(count);
  const ours = await startHttp('skillwire', root);
  const sdk = await startHttp('sdk', root);
  const calls = readAllCalls(count);
  const [total, rounds] = quick ? [100, 3] : [2000, 7];
  const rows = [];
  for (const [index, inFlight] of [1, 32].entries()) {
    const from = index * total * (rounds + 2);
    const cost = await perRequest({ ours, sdk }, calls, { total, inFlight, rounds, from });
    rows.push({
      name: `HTTP resources/read of files not in the cache, ${inFlight} in flight, ${count} skills`,
      value: cost.ours / cost.sdk,
      unit: 'x SDK',
      bar: 0.4,
      peers: 'SDK 1',
      floor: `${cost.ours.toFixed(0)} us; SDK ${cost.sdk.toFixed(0)}`,
    });
  }
  await ours.stop();
  await sdk.stop();
  return rows;
}
