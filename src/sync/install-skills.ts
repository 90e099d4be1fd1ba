/**
 * Takes skills from origins into a place: hold, look, fetch and verify everything, have it approved, write it as one. Nothing lands
 * that nobody decided about: the decision is that of an approval of exactly these bytes, of a rule, of a lock file that already has
 * them, or of whoever is asked, with everything in front of them. A byte that does not hold ends the run before anything changes.
 */
import { SkillwireError, VerificationError } from '../errors.ts';
import type { DiscoveredSkill, SkillAddress } from '../host/discover/discovered-skill.ts';
import type { Host } from '../host/host.ts';
import type { CapturedEntry } from '../host/load/capture.ts';
import { limits } from '../limits.ts';
import type { LockedLocation } from '../origins/location.ts';
import { quoteText } from '../skill/display-text.ts';
import type { JsonValue } from '../skill/entry.ts';
import { noGrants } from '../store/decisions/approval.ts';
import type { Store } from '../store/store.ts';
import { applySkills } from './apply-skills.ts';
import { fetchSkill, heldAsListed, keepBlobs, manifestOf, withSizes } from './fetch-skill.ts';
import { type Candidate, type Decided, type DecideInstall, decideAll, isOtherOrigin } from './install-decision.ts';
import {
  type LinkMode,
  type LockedFile,
  type LockedOrigin,
  type LockedSkill,
  lockedAs,
  lockedPlaceText,
  type ReadLock,
  readLock,
  readLockedPlace,
  sameLockedPlace,
  unknownAfter,
} from './install-lock.ts';
import type { InstallPlace } from './install-place.ts';
import { checkSkill } from './installed.ts';
import { type EditedFolder, type Edits, type SpotFinder, spotFinder, type WantedSkill } from './plan-skill.ts';
import { nodeSyncDisk, type SyncDisk } from './sync-disk.ts';
import { recoverIfNeeded } from './transaction.ts';

export interface InstallOptions {
  readonly place: InstallPlace;
  /** Those of a folder that were just discovered are taken as they were listed; what changed since then is asked for again. */
  readonly skills: readonly (SkillAddress | DiscoveredSkill)[];
  /** Where the skills of a label come from; default: the label is the origin. */
  readonly originOf?: (label: string) => LockedOrigin | Promise<LockedOrigin>;
  /** Beside those that have the skill already. */
  readonly agents: readonly string[];
  /** Default: as it is installed, else `link`. */
  readonly mode?: LinkMode;
  /** True: scripts are accepted without a question about them. */
  readonly scripts?: boolean;
  readonly edits?: Edits;
  /** Lets a skill take the place of another one, which is moved aside. */
  readonly replace?: boolean;
  readonly dryRun?: boolean;
  /** Asked about everything that is not decided yet. Absent: that is an error. */
  readonly decide?: DecideInstall | undefined;
  /** Keeps what was fetched and who decided. */
  readonly store?: Pick<Store, 'blobs' | 'index' | 'audit'>;
  readonly disk?: SyncDisk;
  readonly signal?: AbortSignal;
  readonly onProgress?: (text: string) => void;
}

/** What was done with one skill. */
export interface InstalledResult {
  readonly name: string;
  readonly uri: string;
  readonly origin: string;
  readonly setDigest: string;
  readonly action: 'added' | 'updated' | 'repaired' | 'unchanged' | 'kept';
  readonly files: number;
  readonly bytes: number;
  readonly agents: readonly string[];
  readonly edited: readonly EditedFolder[];
  readonly saved: readonly string[];
}

/** @throws PolicyError NOT_APPROVED, REFUSED_BY_POLICY; VerificationError; SkillwireError NAME_TAKEN, EDITED and others */
export async function installSkills(host: Host, options: InstallOptions): Promise<readonly InstalledResult[]> {
  const { place, disk = nodeSyncDisk, dryRun = false } = options;
  await recoverIfNeeded(disk, place);
  const read = await readLock(disk, place);
  const candidates = await collect(host, read, options);
  refuseSameName(candidates);
  refuseOtherOrigin(candidates, options.replace === true);
  const decided = await decideAll(host, candidates, options);
  const wanted = candidates.flatMap((one): WantedSkill[] => wantedOf(one, decided.get(one), options));
  const request = { read, put: wanted, edits: options.edits ?? 'refuse', replace: options.replace === true, dryRun };
  if (!dryRun) {
    // Whether it can be written is known before anything is approved or kept.
    await applySkills(disk, place, { ...request, dryRun: true });
    await record(host, candidates, decided, options);
  }
  const { skills } = await applySkills(disk, place, request);
  const applied = new Map(skills.map((skill) => [skill.name, skill]));
  return candidates.map((one) => resultOf(one, wanted, applied.get(one.name)));
}

/** Everything from the origins, a few skills at a time, in the order in which it was asked for. */
async function collect(host: Host, read: ReadLock, options: InstallOptions): Promise<readonly Candidate[]> {
  const { skills, signal, onProgress, place, disk = nodeSyncDisk } = options;
  const spots = spotFinder(disk, place);
  const found: Candidate[] = [];
  for (let at = 0; at < skills.length; at += limits.sync.parallelSkills) {
    onProgress?.(`read ${at} of ${skills.length} skills`);
    const group = skills.slice(at, at + limits.sync.parallelSkills);
    found.push(...(await Promise.all(group.map((address) => candidate(host, read, address, options, spots)))));
    signal?.throwIfAborted();
  }
  return found;
}

async function candidate(
  host: Host,
  read: ReadLock,
  address: SkillAddress | DiscoveredSkill,
  options: InstallOptions,
  spots: SpotFinder,
): Promise<Candidate> {
  const { label, uri } = address;
  const listed = await heldAsListed(host, address);
  if (listed !== undefined) {
    try {
      return await candidateOf(host, read, listed, options, spots);
    } catch (error) {
      // Its files were changed after they were listed.
      if (!(error instanceof VerificationError)) throw error;
    }
  }
  const { signal } = options;
  const held = await host.capture({ label, uri }, signal === undefined ? {} : { signal });
  return candidateOf(host, read, await withSizes(host, held, signal), options, spots);
}

async function candidateOf(
  host: Host,
  read: ReadLock,
  held: CapturedEntry,
  options: InstallOptions,
  spots: SpotFinder,
): Promise<Candidate> {
  const { place, disk = nodeSyncDisk, signal, originOf = (label) => ({ origin: namedBy(label) }) } = options;
  const manifest = manifestOf(held);
  const { name, setDigest, files } = manifest;
  const before = lockedAs(read.lock, name);
  const origin = await originOf(held.label);
  const same =
    before !== undefined &&
    before.setDigest === setDigest &&
    before.uri === held.entry.uri &&
    sameLockedPlace(before.origin, origin.origin) &&
    options.agents.every((id) => before.agents.includes(id)) &&
    (options.mode ?? before.mode) === before.mode &&
    (options.scripts ?? before.scripts) === before.scripts &&
    files.every(({ path, executable }) => (before.files[path]?.executable === true) === executable);
  const untouched = same && (await checkSkill(disk, place, name, before, spots)).state === 'ok';
  const fetched = untouched ? undefined : await fetchSkill(host, held, signal, manifest);
  return { held, name, before, origin, fetched };
}

/** A host labels an origin that nobody named with its place. */
function namedBy(label: string): LockedLocation {
  const place = readLockedPlace(label);
  if (!('fault' in place)) return place;
  throw new SkillwireError(
    'USAGE',
    `cannot write where ${quoteText(label)} is into the lock file: ${place.fault}; give "originOf" to say it`,
    { data: { label } },
  );
}

function refuseSameName(candidates: readonly Candidate[]): void {
  const seen = new Map<string, Candidate>();
  for (const one of candidates) {
    const other = seen.get(one.name.toLowerCase());
    if (other !== undefined)
      throw new SkillwireError(
        'NAME_TAKEN',
        `cannot install two skills as ${quoteText(one.name)}: ${quoteText(other.held.entry.uri)} and ${quoteText(one.held.entry.uri)}; choose one`,
        { data: { name: one.name, uris: [other.held.entry.uri, one.held.entry.uri] } },
      );
    seen.set(one.name.toLowerCase(), one);
  }
}

function refuseOtherOrigin(candidates: readonly Candidate[], replace: boolean): void {
  const one = replace ? undefined : candidates.find(isOtherOrigin);
  if (one?.before === undefined) return;
  throw new SkillwireError(
    'NAME_TAKEN',
    `cannot install ${quoteText(one.name)} from ${quoteText(lockedPlaceText(one.origin.origin))}: a skill of this name is installed from ${quoteText(lockedPlaceText(one.before.origin))}; ` +
      'remove that one first, or run it again with --replace',
    { data: { name: one.name, installedFrom: lockedPlaceText(one.before.origin) } },
  );
}

function wantedOf(
  { name, before, origin, fetched }: Candidate,
  decided: Decided | undefined,
  options: InstallOptions,
): WantedSkill[] {
  if (fetched === undefined || decided === undefined) return [];
  const { scripts, approval } = decided;
  const agents = [...new Set([...(before?.agents ?? []), ...options.agents])].sort();
  const files = Object.fromEntries(
    fetched.files.map(({ path, digest, size, executable }): [string, LockedFile] => [
      path,
      { digest, size, executable },
    ]),
  );
  const locked: LockedSkill = {
    ...origin,
    uri: fetched.held.entry.uri,
    setDigest: fetched.setDigest,
    files,
    agents,
    mode: options.mode ?? before?.mode ?? 'link',
    scripts,
    approval,
    ...unknownAfter(before, fetched.setDigest),
  };
  const staged = fetched.files.map(({ path, bytes, executable }) => ({
    path,
    bytes,
    executable: scripts && executable === true,
  }));
  return [{ name, locked, files: staged }];
}

/** Who decided what, and what was fetched, before anything is written. */
async function record(
  host: Host,
  candidates: readonly Candidate[],
  decided: ReadonlyMap<Candidate, Decided>,
  { store, place }: InstallOptions,
): Promise<void> {
  const rows: JsonValue[] = [];
  for (const one of candidates) {
    const decision = decided.get(one);
    if (one.fetched === undefined || decision === undefined) continue;
    const { held, fetched } = one;
    // A folder of the user needs no approval to be read; everything else does, also by hosts that use the same state.
    if (decision.asked && !held.local)
      await host.approvals.grant(held, noGrants, decision.approval.reason ?? 'installed', {
        hiddenSeen: decision.hidden,
      });
    if (!held.local && store !== undefined) await keepBlobs(store, held.label, fetched.files);
    rows.push({
      origin: lockedPlaceText(one.origin.origin),
      uri: held.entry.uri,
      set: fetched.setDigest,
      scripts: decision.scripts,
      by: decision.approval.by,
    });
  }
  for (let at = 0; at < rows.length; at += limits.sync.auditRows) {
    const data = { root: place.root, scope: place.scope, skills: rows.slice(at, at + limits.sync.auditRows) };
    await store?.audit.append({ at: new Date().toISOString(), action: 'install', by: 'person', data });
  }
}

function resultOf(
  { name, held, before, origin, fetched }: Candidate,
  wanted: readonly WantedSkill[],
  applied:
    | { readonly outcome: string; readonly edited: readonly EditedFolder[]; readonly saved: readonly string[] }
    | undefined,
): InstalledResult {
  const locked = wanted.find((one) => one.name === name)?.locked ?? before;
  const files = Object.values(locked?.files ?? {});
  const updated = before !== undefined && before.setDigest !== held.setDigest;
  const changed = before === undefined ? 'added' : updated ? 'updated' : 'repaired';
  const kept = applied?.outcome === 'kept';
  return {
    name,
    uri: held.entry.uri,
    origin: lockedPlaceText(origin.origin),
    setDigest: (kept ? before?.setDigest : held.setDigest) ?? '',
    action: kept ? 'kept' : fetched === undefined || applied?.outcome === 'unchanged' ? 'unchanged' : changed,
    files: files.length,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    agents: locked?.agents ?? [],
    edited: applied?.edited ?? [],
    saved: applied?.saved ?? [],
  };
}
