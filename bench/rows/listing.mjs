// A walk through all pages of `skills/list` over HTTP.
import { overOneConnection } from '../http-load.mjs';
import { median } from '../process-cost.mjs';
import { httpBytes } from '../requests.mjs';
import { startHttp } from '../servers.mjs';
import { treeOf } from '../tree.mjs';

/** @param {number} port */
async function walk(port) {
  let pages = 0;
  let skills = 0;
  await overOneConnection(port, async (ask) => {
    /** @type {Record<string, unknown>} */
    let params = {};
    for (;;) {
      const { result } = await ask(httpBytes({ method: 'skills/list', params }, port));
      pages++;
      skills += result.skills.length;
      if (result.nextCursor === undefined) return;
      params = { cursor: result.nextCursor };
    }
  });
  return { pages, skills };
}

/** @param {import('../run.mjs').Options} options */
export default async function listing({ quick, count }) {
  const root = treeOf(count);
  const servers = { ours: await startHttp('skillwire', root), sdk: await startHttp('sdk', root) };
  /** @type {{ ours: number[], sdk: number[] }} */
  const seen = { ours: [], sdk: [] };
  const pages = { ours: 0, sdk: 0 };
  for (let round = 0; round < (quick ? 2 : 6); round++)
    for (const name of /** @type {const} */ (['ours', 'sdk'])) {
      const before = servers[name].cpu();
      const walked = await walk(servers[name].port);
      if (walked.skills !== count) throw new Error(`${name} lists ${walked.skills} of ${count} skills`);
      pages[name] = walked.pages;
      // The first walk warms up.
      if (round > 0) seen[name].push((servers[name].cpu() - before) * 1e3);
    }
  for (const server of Object.values(servers)) await server.stop();
  const [mine, sdk] = [median(seen.ours), median(seen.sdk)];
  const floor = `${mine.toFixed(1)} ms; SDK ${sdk.toFixed(0)}`;
  return [
    { name: `HTTP walk of all ${count} skills`, value: mine / sdk, unit: 'x SDK', bar: 0.3, peers: 'SDK 1', floor },
    { name: `pages of ${count} skills`, value: pages.ours, unit: 'pages', bar: 64, peers: `SDK ${pages.sdk}` },
  ];
}
