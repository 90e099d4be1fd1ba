// Requests as a company sends them: with a token and a profile, under `approved-only`, and with the JWT of a person in 200 groups. Each is
// beside bare `node:http`, which gets the same headers.
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { builds, commandOf } from '../build.mjs';
import { cost } from '../command-cost.mjs';
import { perRequest } from '../per-request.mjs';
import { answerSizes, getCalls, listedSkills, readCalls } from '../requests.mjs';
import { median, rowOf } from '../samples.mjs';
import { startConfigured, startHttp, startRawHttp, stopAll } from '../servers.mjs';
import { treeOf } from '../tree.mjs';

/** @typedef {import('../build.mjs').Build} Build */

const profiles = { staff: {} };

/** An issuer on loopback, and an access token of a person in this many groups. @param {number} groups */
async function issuerWith(groups) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = { ...publicKey.export({ format: 'jwk' }), kid: 'bench', alg: 'RS256', use: 'sig' };
  const server = createServer((request, answer) => {
    const document = request.url === '/keys' ? { keys: [key] } : { issuer, jwks_uri: `${issuer}/keys` };
    answer.setHeader('content-type', 'application/json').end(JSON.stringify(document));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const issuer = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
  const part = (/** @type {object} */ value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const head = part({ alg: 'RS256', kid: 'bench', typ: 'at+jwt' });
  const now = Math.floor(Date.now() / 1000);
  const body = part({
    iss: issuer,
    aud: 'bench',
    sub: 'ada',
    iat: now,
    exp: now + 36_000,
    groups: Array.from({ length: groups }, (_, at) => `6f1c2a4e-0000-4000-8000-${String(at).padStart(12, '0')}`),
  });
  const signature = sign('sha256', Buffer.from(`${head}.${body}`), privateKey).toString('base64url');
  const match = { groups: '6f1c2a4e-0000-4000-8000-000000000000' };
  const access = {
    url: 'http://127.0.0.1:4711',
    oidc: { issuer, audience: 'bench', claims: [{ match, profile: 'staff' }] },
  };
  return { access, token: `${head}.${body}.${signature}`, close: () => server.close() };
}

/** A new token of a profile, in the state of a folder. @param {string} folder */
function tokenIn(folder) {
  const own = commandOf(/** @type {Build} */ (builds[0]));
  return cost([own, 'token', 'add', 'bench', '--profile', 'staff', '--config', 'skillwire.json'], folder, 0, {
    SKILLWIRE_HOME: join(folder, 'home'),
  }).stdout.trim();
}

/** Approves everything that waits in the state of a folder. @param {string} folder */
function approveAll(folder) {
  const own = commandOf(/** @type {Build} */ (builds[0]));
  const env = { SKILLWIRE_HOME: join(folder, 'home') };
  const all = [own, 'approve', '--all', '--config', 'skillwire.json'];
  const plan = /plan (sha256:[0-9a-f]{64})/.exec(cost(all, folder, 5, env).stderr)?.[1] ?? '';
  cost([...all, '--yes', plan], folder, 0, env);
}

/**
 * A configured server and the headers that its requests need.
 * @typedef {{ server: import('../servers.mjs').HttpServer, headers: string }} Guarded
 */

/** @type {Record<string, (build: Build, folder: string, root: string, jwt: Awaited<ReturnType<typeof issuerWith>>) => Promise<Guarded>>} */
const kinds = {
  'with a token and a profile': async (build, folder, root) => {
    const server = await startConfigured(build, folder, { origins: { docs: root }, profiles });
    return { server, headers: `Authorization: Bearer ${tokenIn(folder)}\r\n` };
  },
  'under approved-only': async (build, folder, root) => {
    const server = await startConfigured(build, folder, { origins: { docs: root }, policy: { mode: 'approved-only' } });
    approveAll(folder);
    return { server, headers: '' };
  },
  'with a token, under approved-only': async (build, folder, root) => {
    const configuration = { origins: { docs: root }, profiles, policy: { mode: 'approved-only' } };
    const server = await startConfigured(build, folder, configuration);
    approveAll(folder);
    return { server, headers: `Authorization: Bearer ${tokenIn(folder)}\r\n` };
  },
  'with a remembered JWT of 200 groups': async (build, folder, root, { access, token }) => {
    const server = await startConfigured(build, folder, { origins: { docs: root }, profiles, access });
    return { server, headers: `Authorization: Bearer ${token}\r\n` };
  },
};

/** @param {import('../run.mjs').Options} options */
export default async function guarded({ quick }) {
  const root = treeOf(quick ? 20 : 200, 'sound');
  const folder = mkdtempSync(join(tmpdir(), 'skillwire-bench-guarded-'));
  const issuer = await issuerWith(200);
  const rows = [];
  for (const [kind, open] of Object.entries(kinds)) {
    /** @type {Record<string, import('../servers.mjs').HttpServer> & { ours: import('../servers.mjs').HttpServer }} */
    const servers = /** @type {never} */ ({});
    let headers = '';
    for (const build of builds) {
      const made = await open(build, join(folder, `${build.name}-${kind.replaceAll(/\W+/g, '-')}`), root, issuer);
      servers[build.name] = made.server;
      // Tokens of our own differ between the builds, so only one build is asked then.
      headers = made.headers;
      if (headers !== '') break;
    }
    const plain = await startHttp(/** @type {Build} */ (builds[0]), root);
    const bare = (await listedSkills(plain.port)).skills;
    let { skills } = await listedSkills(servers.ours.port, headers);
    // A decision of a command reaches a running server a moment later.
    for (let wait = 0; skills.length < bare.length && wait < 100; wait++) {
      await sleep(100);
      ({ skills } = await listedSkills(servers.ours.port, headers));
    }
    if (skills.length !== bare.length) throw new Error(`${kind}: ${skills.length} of ${bare.length} skills are listed`);
    for (const [method, callsOf] of /** @type {const} */ ([
      ['skills/get', getCalls],
      ['resources/read', readCalls],
    ])) {
      const calls = callsOf(skills).map((call) => ({ ...call, headers }));
      const open = callsOf(bare).map((call) => ({ ...call, headers }));
      const raw = await startRawHttp(await answerSizes(servers.ours.port, calls));
      const options = { total: quick ? 200 : 3_000, inFlight: 32, rounds: 1 };
      /** @type {import('../samples.mjs').Samples} */
      const seen = { ours: [] };
      for (let round = 0; round < (quick ? 2 : 7); round++) {
        const measured = await perRequest({ ...servers, raw }, calls, options);
        // The same requests to a server that asks for nothing.
        const free = await perRequest({ ours: plain }, open, options);
        for (const [name, values] of [...Object.entries(measured), /** @type {const} */ (['free', free.ours])])
          seen[name] = [...(seen[name] ?? []), ...(values ?? [])];
      }
      await raw.stop();
      const { raw: floor = [], free = [] } = seen;
      const figure = `${median(seen.ours).toFixed(0)} us; raw ${median(floor).toFixed(0)}, without a guard ${median(free).toFixed(0)}`;
      rows.push(
        rowOf(seen, {
          name: `HTTP ${method}, ${kind}`,
          unit: 'x raw',
          bar: 2,
          figure: (us, round) => us / (floor[round] ?? 0),
          floor: figure,
        }),
      );
      if (kind.includes('JWT'))
        rows.push(
          rowOf(seen, {
            name: `HTTP ${method}, ${kind}`,
            unit: 'x without',
            bar: 1.3,
            figure: (us, round) => us / (free[round] ?? 0),
            floor: figure,
          }),
        );
    }
    await stopAll({ ...servers, plain });
  }
  issuer.close();
  rmSync(folder, { recursive: true, force: true });
  return rows;
}
