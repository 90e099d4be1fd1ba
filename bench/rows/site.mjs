// Skills over plain HTTP (`/.well-known/`): processor time per request beside bare `node:http` with the same head and as many bytes.
import { askRaw } from '../http-load.mjs';
import { perRequest } from '../per-request.mjs';
import { httpBytes } from '../requests.mjs';
import { startHttp, startRawHttp } from '../servers.mjs';
import { fileNames, skillPath, treeOf } from '../tree.mjs';

const index = '/.well-known/agent-skills/index.json';

/** @param {number} skills @param {string} file */
function fileCalls(skills, file) {
  return Array.from({ length: Math.min(50, skills) }, (_, at) => {
    const path = skillPath(Math.floor((at * skills) / Math.min(50, skills)));
    return { path: `/.well-known/skills/${path.slice(path.lastIndexOf('/') + 1)}/${file}` };
  });
}

/** Headers that a server sets by itself are not passed to it. */
const ownHeaders = new Set(['date', 'connection', 'keep-alive', 'content-length']);

/** @param {string} head */
function headOf(head) {
  const [first = '', ...lines] = head.split('\r\n');
  const fields = lines.map((line) => /** @type {[string, string]} */ (line.split(/: (.*)/s).slice(0, 2)));
  const headers = Object.fromEntries(fields.filter(([name]) => !ownHeaders.has(name.toLowerCase())));
  return { status: Number(first.split(' ')[1]), headers };
}

/** @param {import('../run.mjs').Options} options */
export default async function site({ quick, count }) {
  const rows = [];
  const skills = Math.max(1, count / 10);
  const ours = await startHttp('skillwire', treeOf(skills));
  const document = await askRaw(ours.port, httpBytes({ path: index }, ours.port));
  const { skills: entries } = JSON.parse(document.body.toString());
  /** @param {string} path */
  const withTag = async (path) => {
    const { head } = await askRaw(ours.port, httpBytes({ path }, ours.port));
    return { path, headers: `If-None-Match: ${/etag: (.*)/i.exec(head)?.[1]}\r\n` };
  };
  const files = fileCalls(skills, fileNames[0] ?? '');
  const kinds = {
    index: { calls: [{ path: index }], bar: 2 },
    'small file': { calls: files, bar: 2 },
    'archive by digest': {
      calls: entries
        .slice(0, 50)
        .map((/** @type {{ url: string }} */ { url }) => ({ path: `/.well-known/agent-skills/${url}` })),
      bar: 2,
    },
    'index, 304': { calls: [await withTag(index)], bar: 1.3 },
    'small file, 304': { calls: await Promise.all(files.map(({ path }) => withTag(path))), bar: 1.3 },
  };
  for (const [kind, { calls, bar }] of Object.entries(kinds)) {
    const first = await askRaw(ours.port, httpBytes(calls[0], ours.port));
    const raw = await startRawHttp(first.body.length, headOf(first.head));
    for (const inFlight of [1, 32]) {
      const total = (quick ? 300 : 3000) / (kind === 'index' ? 6 : 1);
      // A round takes a tenth of a second, so there are many.
      const cost = await perRequest({ ours, raw }, calls, { total, inFlight, rounds: quick ? 3 : 25 });
      rows.push({
        name: `site ${kind}, ${inFlight} in flight, ${skills} skills`,
        value: cost.ours / cost.raw,
        unit: 'x raw',
        bar,
        floor: `${cost.ours.toFixed(0)} us; raw ${cost.raw.toFixed(0)}`,
      });
    }
    await raw.stop();
  }
  await ours.stop();
  return rows;
}
