// A walk through all pages of `skills/list` over HTTP. The SDK lists fewer skills of a realistic tree, so the cost of one skill is compared.
import { listedSkills } from '../requests.mjs';
import { median, rowOf } from '../samples.mjs';
import { startBuilds, startHttp, startPeerHttp, stopAll } from '../servers.mjs';
import { treeOf } from '../tree.mjs';

/** @param {import('../run.mjs').Options} options */
export default async function listing({ quick, count }) {
  const root = treeOf(count);
  /** @type {Record<string, import('../servers.mjs').HttpServer>} */
  const servers = {
    ...(await startBuilds((build) => startHttp(build, root))),
    sdk: await startPeerHttp('sdk', root),
  };
  /** @type {import('../samples.mjs').Samples} */
  const cost = { ours: [] };
  /** @type {import('../samples.mjs').Samples} */
  const pages = { ours: [] };
  /** @type {Record<string, number>} */
  const listed = {};
  // The first walk warms up.
  for (let round = -1; round < (quick ? 2 : 6); round++)
    for (const [name, server] of Object.entries(servers)) {
      const before = server.cpu();
      const walked = await listedSkills(server.port);
      const microseconds = ((server.cpu() - before) * 1e6) / walked.skills.length;
      if (round < 0) continue;
      listed[name] = walked.skills.length;
      cost[name] = [...(cost[name] ?? []), microseconds];
      pages[name] = [walked.pages];
    }
  await stopAll(servers);
  const theirs = cost.sdk ?? [];
  return [
    rowOf(cost, {
      name: `HTTP walk of all ${count} skills, for each listed`,
      unit: 'x SDK',
      bar: 0.3,
      figure: (measured, round) => measured / (theirs[round] ?? 0),
      peers: 'SDK 1',
      floor: `${median(cost.ours).toFixed(1)} us a skill, ${listed.ours} listed; SDK ${median(theirs).toFixed(0)} us, ${listed.sdk} listed`,
    }),
    rowOf(pages, { name: `pages of ${count} skills`, unit: 'pages', bar: 64, peers: `SDK ${pages.sdk?.[0]}` }),
  ];
}
