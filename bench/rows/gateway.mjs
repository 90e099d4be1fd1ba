// A gateway over many upstreams: the first complete listing against the slowest upstream, and requests against a direct server.
import { fileURLToPath } from 'node:url';
import { buildEnv, builds } from '../build.mjs';
import { perRequest } from '../per-request.mjs';
import { getCalls, listedSkills, readCalls } from '../requests.mjs';
import { median, rowOf } from '../samples.mjs';
import { start, stopAll } from '../servers.mjs';

/** @param {string} name */
const program = (name) => fileURLToPath(new URL(`../servers/${name}.mjs`, import.meta.url));

/** Long enough to stand out from everything else in a start. */
const slowMs = 1_000;

/** @param {import('../build.mjs').Build} build @param {string} name @param {readonly (string | number)[]} args */
const startProgram = (build, name, args) => start([program(name), ...args.map(String)], { env: buildEnv(build) });

/** @param {import('../build.mjs').Build} build @param {number} count @param {number} skills @returns {Promise<number>} */
async function firstListing(build, count, skills) {
  const upstreams = startProgram(build, 'upstreams', [count - 1, skills]);
  // In its own process, so that its late answers do not also wait for the work of the others.
  const slow = startProgram(build, 'upstreams', [1, skills, slowMs]);
  const urls = [...JSON.parse(await upstreams.line()), ...JSON.parse(await slow.line())];
  const served = startProgram(build, 'gateway', urls);
  const { ms, slowest, skills: found } = JSON.parse(await served.line());
  if (found !== count * skills) throw new Error(`the gateway lists ${found} skills`);
  await stopAll({ served, upstreams, slow });
  return ms / slowest;
}

/**
 * A server of these skills, and a gateway over it and others like it.
 * @param {import('../build.mjs').Build} build @param {number} count @param {number} skills
 */
async function startPair(build, count, skills) {
  const upstreams = startProgram(build, 'upstreams', [count, skills]);
  const gateway = startProgram(build, 'gateway', JSON.parse(await upstreams.line()));
  const { port } = JSON.parse(await gateway.line());
  const alone = startProgram(build, 'upstreams', [1, skills]);
  const [own] = JSON.parse(await alone.line());
  return { upstreams, gateway: { ...gateway, port }, direct: { ...alone, port: Number(new URL(own).port) } };
}

/** @param {import('../run.mjs').Options} options */
export default async function gateway({ quick }) {
  const [count, skills] = quick ? [5, 20] : [50, 200];
  /** @type {import('../samples.mjs').Samples} */
  const ratios = { ours: [] };
  for (let round = 0; round < (quick ? 1 : 5); round++)
    for (const build of builds)
      ratios[build.name] = [...(ratios[build.name] ?? []), await firstListing(build, count, skills)];
  const rows = [
    rowOf(ratios, { name: `gateway, ${count} x ${skills}, first complete listing`, unit: 'x slowest', bar: 1.2 }),
  ];
  for (const [method, callsOf] of /** @type {const} */ ([
    ['skills/get', getCalls],
    ['resources/read', readCalls],
  ])) {
    /** @type {Record<string, Awaited<ReturnType<typeof startPair>>>} */
    const pairs = {};
    for (const build of builds) pairs[build.name] = await startPair(build, count, skills);
    const options = { total: quick ? 200 : 2_000, inFlight: 16, rounds: quick ? 3 : 7 };
    const calls = callsOf((await listedSkills(pairs.ours?.direct.port ?? 0)).skills);
    const labelled = calls.map(({ params }) => ({
      method,
      params: { uri: String(params.uri).replace('skill://', 'skill://origin-0/') },
    }));
    /** @type {import('../samples.mjs').Samples} */
    const cost = { ours: [] };
    for (let round = 0; round < options.rounds; round++)
      for (const [name, { gateway, direct }] of Object.entries(pairs)) {
        const [through, alone] = [
          await perRequest({ ours: gateway }, labelled, { ...options, rounds: 1 }),
          await perRequest({ ours: direct }, calls, { ...options, rounds: 1 }),
        ];
        cost[name] = [...(cost[name] ?? []), through.ours[0] ?? Number.NaN];
        cost[`direct-${name}`] = [...(cost[`direct-${name}`] ?? []), alone.ours[0] ?? Number.NaN];
      }
    for (const pair of Object.values(pairs)) await stopAll(pair);
    const direct = cost['direct-ours'] ?? [];
    rows.push(
      rowOf(cost, {
        name: `gateway ${method}, cached`,
        unit: 'x direct',
        bar: 1.5,
        figure: (measured, round) => measured / (direct[round] ?? 0),
        floor: `${median(cost.ours).toFixed(0)} us; direct ${median(direct).toFixed(0)}`,
      }),
    );
  }
  return rows;
}
