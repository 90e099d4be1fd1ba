// Signatures: verifies as many as NVIDIA's public skills have. Compares signed with unsigned skills at install, and gateways that require a
// signer with those that do not.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builds, commandOf } from '../build.mjs';
import { addAll, cost, emptyLock } from '../command-cost.mjs';
import { perRequest } from '../per-request.mjs';
import { listedSkills, readCalls } from '../requests.mjs';
import { median, rowOf } from '../samples.mjs';
import { startConfigured, stopAll } from '../servers.mjs';
import { treeOf } from '../tree.mjs';

/** @typedef {import('../build.mjs').Build} Build @typedef {import('../samples.mjs').Samples} Samples */

/** A configuration of the user, with one signer or none: reading the file itself is no cost of signatures. @param {string} home @param {string} [key] */
function configure(home, key) {
  mkdirSync(home, { recursive: true });
  const signers = key === undefined ? {} : { bench: { key } };
  writeFileSync(join(home, 'skillwire.json'), JSON.stringify({ origins: {}, signers }));
}

/** Microseconds per read with a rule about signatures, and without. @param {Build} build @param {string} folder @param {string} skills @param {string} key @param {boolean} quick */
async function reading(build, folder, skills, key, quick) {
  const origins = { docs: skills };
  const signatures = [{ require: ['bench'] }];
  const ours = await startConfigured(build, join(folder, 'required'), {
    origins,
    signers: { bench: { key } },
    policy: { signatures },
  });
  const plain = await startConfigured(build, join(folder, 'plain'), { origins, policy: {} });
  const calls = readCalls((await listedSkills(ours.port)).skills);
  const options = { total: quick ? 200 : 2_000, inFlight: 16, rounds: quick ? 3 : 7 };
  const measured = await perRequest({ ours, plain }, calls, options);
  await stopAll({ ours, plain });
  return measured;
}

/** @param {import('../run.mjs').Options} options */
export default async function signing({ quick }) {
  const count = quick ? 40 : 344;
  const folder = mkdtempSync(join(tmpdir(), 'skillwire-bench-signing-'));
  const [signed, plain, key] = [join(folder, 'signed'), join(folder, 'plain'), join(folder, 'bench.key.pub')];
  for (const copy of [signed, plain]) cpSync(treeOf(count, 'sound'), copy, { recursive: true });
  const own = commandOf(/** @type {Build} */ (builds[0]));
  cost([own, 'keygen', '--out', 'bench.key'], folder);
  cost([own, 'sign', signed, '--key', 'bench.key'], folder);
  /** @type {Record<'verify' | 'add' | 'read', Samples>} */
  const seen = { verify: { ours: [] }, add: { ours: [] }, read: { ours: [] } };
  /** @type {Record<'list' | 'add' | 'read', Record<string, number[]>>} */
  const floors = { list: {}, add: {}, read: {} };
  for (let round = 0; round < (quick ? 1 : 5); round++)
    for (const build of builds) {
      const cli = commandOf(build);
      /** @param {Record<string, number[] | undefined>} rounds @param {number} figure */
      const note = (rounds, figure) => {
        rounds[build.name] = [...(rounds[build.name] ?? []), figure];
      };
      note(floors.list, cost([cli, 'list', signed, '--json'], folder).cpu);
      note(seen.verify, cost([cli, 'verify', signed, '--signer', key, '--quiet'], folder).cpu);
      /** @param {string} root @param {boolean} trusts */
      const add = (root, trusts) => {
        const project = join(folder, `${build.name}-${round}-${trusts}`);
        mkdirSync(join(project, 'home'), { recursive: true });
        configure(join(project, 'state'), trusts ? key : undefined);
        writeFileSync(join(project, 'skillwire.lock'), emptyLock);
        return addAll(cli, root, project);
      };
      note(floors.add, add(plain, false));
      note(seen.add, add(signed, true));
    }
  for (const build of builds) {
    const measured = await reading(build, join(folder, `gateway-${build.name}`), signed, key, quick);
    seen.read[build.name] = measured.ours;
    floors.read[build.name] = measured.plain ?? [];
  }
  rmSync(folder, { recursive: true, force: true });
  const floorOf = (/** @type {Record<string, number[]>} */ rounds) => median(rounds.ours ?? []);
  return [
    rowOf(seen.verify, {
      name: `verify the signatures of ${count} skills`,
      unit: 's CPU beside reading',
      bar: 2,
      figure: (ms, round) => (ms - (floors.list.ours?.[round] ?? 0)) / 1_000,
      floor: `whole command ${median(seen.verify.ours).toFixed(0)} ms; listing alone ${floorOf(floors.list).toFixed(0)} ms`,
    }),
    rowOf(seen.add, {
      name: `add, ${count} signed skills from a folder`,
      unit: 'x unsigned',
      bar: 1.15,
      figure: (ms, round) => ms / (floors.add.ours?.[round] ?? 0),
      floor: `${median(seen.add.ours).toFixed(0)} ms; unsigned ${floorOf(floors.add).toFixed(0)} ms, a file less each`,
    }),
    rowOf(seen.read, {
      name: 'gateway resources/read, signer required',
      unit: 'x without rule',
      bar: 1.1,
      figure: (us, round) => us / (floors.read.ours?.[round] ?? 0),
      floor: `${median(seen.read.ours).toFixed(0)} us; without ${floorOf(floors.read).toFixed(0)}`,
    }),
  ];
}
