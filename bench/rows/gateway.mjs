// A gateway over many upstreams: the first complete listing beside the slowest upstream, and requests beside serving directly.
import { fileURLToPath } from 'node:url';
import { perRequest } from '../per-request.mjs';
import { median } from '../process-cost.mjs';
import { start } from '../servers.mjs';

/** @param {string} name */
const program = (name) => fileURLToPath(new URL(`../servers/${name}.mjs`, import.meta.url));

/** Long enough to stand out from everything else in a start. */
const slowMs = 1_000;

/** @param {string} method @param {string} prefix @param {string} file @param {number} skills */
const calls = (method, prefix, file, skills) =>
  Array.from({ length: skills }, (_, index) => ({
    method,
    params: { uri: `skill://${prefix}area-${index % 10}/skill-${index}/${file}` },
  }));

/** @param {import('../run.mjs').Options} options */
export default async function gateway({ quick }) {
  const [count, skills] = quick ? [5, 20] : [50, 200];
  /** @type {number[]} */
  const ratios = [];
  for (let round = 0; round < (quick ? 1 : 3); round++) {
    const upstreams = start([program('upstreams'), String(count - 1), String(skills)]);
    // In a process of its own: what it answers late must not wait for the work of the others too.
    const slow = start([program('upstreams'), '1', String(skills), String(slowMs)]);
    const urls = [...JSON.parse(await upstreams.line()), ...JSON.parse(await slow.line())];
    const served = start([program('gateway'), ...urls]);
    const { ms, slowest, skills: found } = JSON.parse(await served.line());
    if (found !== count * skills) throw new Error(`the gateway lists ${found} skills`);
    ratios.push(ms / slowest);
    for (const one of [served, upstreams, slow]) await one.stop();
  }
  const rows = [
    {
      name: `gateway, ${count} x ${skills}, first complete listing`,
      value: median(ratios),
      unit: 'x slowest',
      bar: 1.2,
    },
  ];
  const upstreams = start([program('upstreams'), String(count), String(skills)]);
  const urls = JSON.parse(await upstreams.line());
  const served = start([program('gateway'), ...urls]);
  const { port } = JSON.parse(await served.line());
  const alone = start([program('upstreams'), '1', String(skills)]);
  const [own] = JSON.parse(await alone.line());
  const ours = { ...served, port };
  const direct = { ...alone, port: Number(new URL(own).port) };
  for (const [method, file] of /** @type {const} */ ([
    ['skills/get', 'SKILL.md'],
    ['resources/read', 'references/guide.md'],
  ])) {
    const options = { total: quick ? 200 : 2_000, inFlight: 16, rounds: quick ? 3 : 7 };
    const cost = {
      ...(await perRequest({ ours }, calls(method, 'origin-0/', file, skills), options)),
      ...(await perRequest({ direct }, calls(method, '', file, skills), options)),
    };
    rows.push({
      name: `gateway ${method}, cached`,
      value: cost.ours / cost.direct,
      unit: 'x direct',
      bar: 1.5,
      // @ts-expect-error the first row has none
      floor: `${cost.ours.toFixed(0)} us; direct ${cost.direct.toFixed(0)}`,
    });
  }
  for (const one of [served, upstreams, alone]) await one.stop();
  return rows;
}
