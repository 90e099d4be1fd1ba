/**
 * Installs skills from origins: capture, fetch and verify everything, get a decision, and write it in one transaction. Nothing is installed
 * without a decision: an approval of exactly these bytes, a rule, a lock file that already has them, or a person. If a byte fails
 * verification, the run ends before anything changes.
 */
import type { WorkProgress } from '../async/work-progress.ts';
import { definedFields } from '../defined-fields.ts';
import { SkillwireError, VerificationError } from '../errors.ts';
import type { DiscoveredSkill, SkillAddress } from '../host/discover/discovered-skill.ts';
import type { Host } from '../host/host.ts';
import type { CapturedEntry } from '../host/load/capture.ts';
import { limits } from '../limits.ts';
import type { LockedLocation } from '../origins/kinds.ts';
import { quoteText } from '../skill/display-text.ts';
import type { JsonValue } from '../skill/entry.ts';
import { noGrants } from '../store/decisions/approval.ts';
import type { Store } from '../store/store.ts';
import { type AppliedSkill, applySkills } from './apply-skills.ts';
import { cacheFiles, captureListed, fetchSkill, manifestOf, type SkillManifest, withSizes } from './fetch-skill.ts';
import { type Candidate, type Decided, type DecideInstall, decideAll, isOtherOrigin } from './install-decision.ts';
import {
  type LinkMode,
  type LockedFile,
  type LockedOrigin,
  type LockedSkill,
  lockedAs,
  lockedLocationText,
  type ReadLock,
  readLock,
  readLockedLocation,
  sameLockedLocation,
  unknownAfter,
} from './install-lock.ts';
import type { InstallPlace } from './install-place.ts';
import { checkSkill } from './installed.ts';
import { type EditedFolder, type Edits, type SpotFinder, spotFinder, type WantedSkill } from './plan-skill.ts';
import { nodeSyncDisk, type SyncDisk } from './sync-disk.ts';
import { recoverIfNeeded } from './transaction.ts';

export interface InstallOptions {
  readonly place: InstallPlace;
  /** Just discovered skills of a local folder are installed as listed; if one changed since then, it is queried again. */
  readonly skills: readonly (SkillAddress | DiscoveredSkill)[];
  /** The origin of a skill, by its label and URI; default: the label is the origin. */
  readonly originOf?: (label: string, uri: string) => LockedOrigin | Promise<LockedOrigin>;
  /** In addition to the agents that already have the skill. */
  readonly agents: readonly string[];
  /** Default: the mode of the installed skill, else `link`. */
  readonly mode?: LinkMode;
  /** True: accept scripts without asking. */
  readonly scripts?: boolean;
  readonly edits?: Edits;
  /** True: accept skills of another signer than the installed or approved version. */
  readonly allowSignerChange?: boolean;
  /** Move another skill of the same name aside. */
  readonly replace?: boolean;
  readonly dryRun?: boolean;
  /** Asked about all open decisions. Absent: an open decision is an error. */
  readonly decide?: DecideInstall | undefined;
  /** Gets the fetched files and the audit of decisions. */
  readonly store?: Pick<Store, 'blobs' | 'index' | 'audit'>;
  readonly disk?: SyncDisk;
  readonly signal?: AbortSignal;
  /** Counts the skills that were read. */
  readonly onProgress?: (work: WorkProgress) => void;
}

/** The result for one skill. */
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
  /** The origin's current version, if it was not installed because local edits are kept. */
  readonly available?: string;
  /** Paths of files that are executable at the origin and not here, because nobody accepted it. */
  readonly notExecutable: readonly string[];
}

/** @throws PolicyError NOT_APPROVED, REFUSED_BY_POLICY; VerificationError; SkillwireError NAME_TAKEN, EDITED and others */
export async function installSkills(host: Host, options: InstallOptions): Promise<readonly InstalledResult[]> {
  const { place, disk = nodeSyncDisk, dryRun = false } = options;
  await recoverIfNeeded(disk, place);
  const read = await readLock(disk, place);
  const candidates = await collect(host, read, options);
  refuseSameName(candidates);
  refuseOtherOrigin(candidates, options.replace === true);
  const unchanged = await unchangedSkills(candidates, read, options);
  const decided = await decideAll(
    host,
    candidates.filter(({ name }) => !unchanged.has(name)),
    options,
  );
  const wanted = candidates.flatMap((one): WantedSkill[] => wantedOf(one, decided.get(one), options));
  const request = { read, put: wanted, edits: options.edits ?? 'refuse', replace: options.replace === true, dryRun };
  if (!dryRun) {
    // Make sure that it can be written before anything is approved or stored.
    await applySkills(disk, place, { ...request, dryRun: true });
    await record(host, candidates, decided, options);
  }
  const { skills } = await applySkills(disk, place, request);
  const applied = new Map([...unchanged, ...skills.map((skill) => [skill.name, skill] as const)]);
  return candidates.map((one) => resultOf(one, wanted, applied.get(one.name)));
}

/**
 * Installed skills that do not change, because their edits are kept. Nobody is asked about them, and they get no approval and no audit row. The
 * plan of the installation itself decides, so the two cannot disagree.
 */
async function unchangedSkills(
  candidates: readonly Candidate[],
  read: ReadLock,
  options: InstallOptions,
): Promise<ReadonlyMap<string, AppliedSkill>> {
  const { place, disk = nodeSyncDisk, edits } = options;
  if (edits !== 'keep') return new Map();
  const put = candidates.flatMap((one): WantedSkill[] => {
    const { before } = one;
    if (before === undefined) return [];
    const { approval, scripts } = before;
    return wantedOf(one, { approval, scripts, byPerson: false, hidden: false }, options);
  });
  const { skills } = await applySkills(disk, place, { read, put, edits, replace: true, dryRun: true });
  return new Map(skills.filter(({ outcome }) => outcome === 'kept').map((skill) => [skill.name, skill]));
}

/** Fetches the skills, a few at a time, in the requested order. */
async function collect(host: Host, read: ReadLock, options: InstallOptions): Promise<readonly Candidate[]> {
  const { skills, signal, onProgress, place, disk = nodeSyncDisk } = options;
  const spots = spotFinder(disk, place);
  const found: Candidate[] = [];
  let [done, bytes] = [0, 0];
  const readOne = async (address: SkillAddress | DiscoveredSkill): Promise<Candidate> => {
    const one = await candidate(host, read, address, options, spots);
    for (const { size } of one.fetched?.files ?? []) bytes += size;
    onProgress?.({ done: ++done, of: skills.length, bytes });
    return one;
  };
  for (let at = 0; at < skills.length; at += limits.sync.parallelSkills) {
    const group = skills.slice(at, at + limits.sync.parallelSkills);
    found.push(...(await Promise.all(group.map(readOne))));
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
  const listed = await captureListed(host, address);
  if (listed !== undefined) {
    try {
      return await candidateOf(host, read, listed, options, spots);
    } catch (error) {
      // Its files changed after the listing.
      if (!(error instanceof VerificationError)) throw error;
    }
  }
  const { signal } = options;
  const captured = await host.capture({ label, uri }, signal === undefined ? {} : { signal });
  return candidateOf(host, read, await withSizes(host, captured, signal), options, spots);
}

async function candidateOf(
  host: Host,
  read: ReadLock,
  captured: CapturedEntry,
  options: InstallOptions,
  spots: SpotFinder,
): Promise<Candidate> {
  const { place, disk = nodeSyncDisk, signal, originOf = (label) => ({ origin: namedBy(label) }) } = options;
  const manifest = manifestOf(captured);
  const { name, setDigest, files } = manifest;
  const known = lockedAs(read.lock, name);
  const before = known === undefined ? undefined : lockedAt(known, captured, files);
  const origin = await originOf(captured.label, captured.entry.uri);
  const same =
    before !== undefined &&
    before.setDigest === setDigest &&
    known?.uri === captured.entry.uri &&
    sameLockedLocation(before.origin, origin.origin) &&
    options.agents.every((id) => before.agents.includes(id)) &&
    (options.mode ?? before.mode) === before.mode &&
    (options.scripts ?? before.scripts) === before.scripts &&
    files.every(({ path, executable }) => (before.files[path]?.executable === true) === executable);
  const untouched = same && (await checkSkill(disk, place, name, before, spots)).state === 'ok';
  const fetched = untouched ? undefined : await fetchSkill(host, captured, signal, manifest);
  return { captured, name, before, origin, fetched };
}

/** The locked skill at the URI that it has now. Its set digest contains URIs, so it changes with them. */
function lockedAt(locked: LockedSkill, captured: CapturedEntry, files: SkillManifest['files']): LockedSkill {
  const { uri } = captured.entry;
  if (captured.formerUris?.includes(locked.uri) !== true) return locked;
  const isSame =
    Object.keys(locked.files).length === files.length &&
    files.every(({ path, digest }) => Object.hasOwn(locked.files, path) && locked.files[path]?.digest === digest);
  return { ...locked, uri, setDigest: isSame ? (captured.setDigest ?? '') : locked.setDigest };
}

/** The label of an unnamed origin is its location. */
function namedBy(label: string): LockedLocation {
  const place = readLockedLocation(label);
  if (!('fault' in place)) return place;
  throw new SkillwireError(
    'USAGE',
    `Cannot record the origin of ${quoteText(label)} in the lock file: ${place.fault}. Pass "originOf".`,
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
        `Cannot install two skills named ${quoteText(one.name)}. Choose ${quoteText(other.captured.entry.uri)} or ${quoteText(one.captured.entry.uri)}.`,
        { data: { name: one.name, uris: [other.captured.entry.uri, one.captured.entry.uri] } },
      );
    seen.set(one.name.toLowerCase(), one);
  }
}

function refuseOtherOrigin(candidates: readonly Candidate[], replace: boolean): void {
  const one = replace ? undefined : candidates.find(isOtherOrigin);
  if (one?.before === undefined) return;
  throw new SkillwireError(
    'NAME_TAKEN',
    `Cannot install ${quoteText(one.name)} from ${quoteText(lockedLocationText(one.origin.origin))}: it is already installed from ${quoteText(lockedLocationText(one.before.origin))}. ` +
      'Remove that one first, or use --replace.',
    { data: { name: one.name, installedFrom: lockedLocationText(one.before.origin) } },
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
    uri: fetched.captured.entry.uri,
    setDigest: fetched.setDigest,
    files,
    agents,
    mode: options.mode ?? before?.mode ?? 'link',
    scripts,
    approval,
    ...definedFields({
      content: fetched.captured.contentDigest,
      // A machine that trusts no signers must not forget the signer of exactly these bytes.
      signer: decided.signer ?? (before?.setDigest === fetched.setDigest ? before.signer : undefined),
    }),
    ...unknownAfter(before),
  };
  const staged = fetched.files.map(({ path, bytes, executable }) => ({
    path,
    bytes,
    executable: scripts && executable === true,
  }));
  return [{ name, locked, files: staged }];
}

/** Stores decisions and fetched files before anything is installed. */
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
    const { captured, fetched } = one;
    // The user's own folders need no approval. Everything else does, and other hosts with the same state use it too.
    if (decision.byPerson && !captured.local)
      await host.approvals.grant(captured, noGrants, decision.approval.reason ?? 'installed', {
        hiddenSeen: decision.hidden,
      });
    if (!captured.local && store !== undefined) await cacheFiles(store, captured.label, fetched.files);
    rows.push({
      origin: lockedLocationText(one.origin.origin),
      uri: captured.entry.uri,
      set: fetched.setDigest,
      scripts: decision.scripts,
      by: decision.approval.by,
      ...(decision.signer === undefined ? {} : { signer: { ...decision.signer } }),
      ...(decision.signerChange === undefined ? {} : { signerChange: decision.signerChange }),
    });
  }
  for (let at = 0; at < rows.length; at += limits.sync.auditRows) {
    const data = { root: place.root, scope: place.scope, skills: rows.slice(at, at + limits.sync.auditRows) };
    await store?.audit.append({ at: new Date().toISOString(), action: 'install', by: 'person', data });
  }
}

function resultOf(
  { name, captured, before, origin, fetched }: Candidate,
  wanted: readonly WantedSkill[],
  applied: AppliedSkill | undefined,
): InstalledResult {
  const locked = wanted.find((one) => one.name === name)?.locked ?? before;
  const files = Object.values(locked?.files ?? {});
  const executable = Object.entries(locked?.files ?? {}).filter(([, file]) => file.executable === true);
  const updated = before !== undefined && before.setDigest !== captured.setDigest;
  const changed = before === undefined ? 'added' : updated ? 'updated' : 'repaired';
  const keepsEdits = applied?.outcome === 'kept';
  return {
    name,
    uri: captured.entry.uri,
    origin: lockedLocationText(origin.origin),
    setDigest: (keepsEdits ? before?.setDigest : captured.setDigest) ?? '',
    action: keepsEdits ? 'kept' : fetched === undefined || applied?.outcome === 'unchanged' ? 'unchanged' : changed,
    files: files.length,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    agents: locked?.agents ?? [],
    edited: applied?.edited ?? [],
    saved: applied?.saved ?? [],
    notExecutable: locked?.scripts === true ? [] : executable.map(([path]) => path),
    ...definedFields({ available: keepsEdits && updated ? captured.setDigest : undefined }),
  };
}
