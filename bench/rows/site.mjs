// Skills over plain HTTP (`/.well-known/`): processor time per request beside bare `node:http` with the same head and as many bytes.
import { askRaw } from '../http-load.mjs';
import { perRequest } from '../per-request.mjs';
import { httpBytes } from '../requests.mjs';
import { median, rowOf } from '../samples.mjs';
import { startBuilds, startHttp, startRawHttp, stopAll } from '../servers.mjs';
import { treeOf } from '../tree.mjs';

const index = '/.well-known/agent-skills/index.json';
const fileIndex = '/.well-known/skills/index.json';

/** Headers that the server sets itself. */
const ownHeaders = new Set(['date', 'connection', 'keep-alive', 'content-length']);

/** @param {string} head */
function headOf(head) {
  const [first = '', ...lines] = head.split('\r\n');
  const fields = lines.map((line) => /** @type {[string, string]} */ (line.split(/: (.*)/s).slice(0, 2)));
  const headers = Object.fromEntries(fields.filter(([name]) => !ownHeaders.has(name.toLowerCase())));
  return { status: Number(first.split(' ')[1]), headers };
}

/** @param {number} port @param {string} path */
async function documentOf(port, path) {
  for (;;) {
    const { head, body } = await askRaw(port, httpBytes({ path }, port));
    // The server answers "retry later" while it builds the index.
    if (head.startsWith('HTTP/1.1 200')) return JSON.parse(body.toString());
  }
}

/** @param {number} port @param {string} path */
async function withTag(port, path) {
  const { head } = await askRaw(port, httpBytes({ path }, port));
  return { path, headers: `If-None-Match: ${/etag: (.*)/i.exec(head)?.[1]}\r\n` };
}

/** @param {number} port */
async function kindsOf(port) {
  const { skills: archives } = await documentOf(port, index);
  const { skills: singles } = await documentOf(port, fileIndex);
  const files = singles
    .slice(0, 50)
    .map((/** @type {{ name: string }} */ { name }) => ({ path: `/.well-known/skills/${name}/SKILL.md` }));
  return {
    index: { calls: [{ path: index }], bar: 1.5 },
    'small file': { calls: files, bar: 1.5 },
    'archive by digest': {
      calls: archives
        .slice(0, 50)
        .map((/** @type {{ url: string }} */ { url }) => ({ path: `/.well-known/agent-skills/${url}` })),
      bar: 1.5,
    },
    'index, 304': { calls: [await withTag(port, index)], bar: 1.3 },
    'small file, 304': {
      calls: await Promise.all(files.map((/** @type {{ path: string }} */ { path }) => withTag(port, path))),
      bar: 1.3,
    },
  };
}

/** @param {import('../run.mjs').Options} options */
export default async function site({ quick, count }) {
  const rows = [];
  const skills = Math.max(1, count / 10);
  const startAll = () => startBuilds((build) => startHttp(build, treeOf(skills)));
  const first = await startAll();
  const kinds = await kindsOf(first.ours.port);
  await stopAll(first);
  for (const [kind, { calls, bar }] of Object.entries(kinds))
    for (const inFlight of [1, 32]) {
      const ours = await startAll();
      for (const { port } of Object.values(ours)) await kindsOf(port);
      const answers = [];
      for (const call of calls) answers.push(await askRaw(ours.ours.port, httpBytes(call, ours.ours.port)));
      const sizes = answers.map(({ body }) => body.length);
      const raw = await startRawHttp(sizes, headOf(answers[0]?.head ?? ''));
      const total = (quick ? 300 : 3000) / (kind === 'index' ? 6 : 1);
      // A round takes only a tenth of a second.
      const cost = await perRequest({ ...ours, raw }, calls, { total, inFlight, rounds: quick ? 3 : 15 });
      await stopAll({ ...ours, raw });
      const bare = cost.raw ?? [];
      rows.push(
        rowOf(cost, {
          name: `site ${kind}, ${inFlight} in flight, ${skills} skills`,
          unit: 'x raw',
          bar,
          figure: (measured, round) => measured / (bare[round] ?? 0),
          floor: `${median(cost.ours).toFixed(0)} us; raw ${median(bare).toFixed(0)}`,
        }),
      );
    }
  return rows;
}
