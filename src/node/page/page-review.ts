/**
 * The review on the page. `serving/` decides what is served: the review reads the standing of skills from it, and writes decisions to the
 * state that it follows. Audit and rules are those of `host/approve/approvals.ts`. A decision covers exactly the files that were shown.
 * The store is opened on first use.
 */
import { loadOnce } from '../../async/load-once.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { carriers } from '../../catalog/nested-records.ts';
import type { SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import { PolicyError } from '../../errors.ts';
import { type Approvals, type AuditTrail, auditTrail, createApprovals } from '../../host/approve/approvals.ts';
import { allowedToolsOf, hidesText, requestsOf } from '../../host/approve/skill-requests.ts';
import { approveVersion, denyVersion, isVersion, type Version } from '../../host/approve/version-decisions.ts';
import { contentKey } from '../../host/cache/content-cache.ts';
import type { SkillAddress } from '../../host/discover/discovered-skill.ts';
import { createEnablement } from '../../host/discover/enablement.ts';
import { captureEntry } from '../../host/load/capture.ts';
import type { Serving } from '../../serving/serving.ts';
import { type Standing, unservedText } from '../../serving/serving-state.ts';
import type { AddressOf } from '../../serving/skill-address.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { SkillEntry, SkillResource } from '../../skill/entry.ts';
import { isJsonObject } from '../../skill/json.ts';
import { decodeUtf8 } from '../../skill/media-type.ts';
import { isExecutable, isScript } from '../../skill/runs-code.ts';
import { auditObject } from '../../store/audit-text.ts';
import { confirmLast } from '../../store/confirm-last.ts';
import type { Approval } from '../../store/decisions/approval.ts';
import { type SkillDenial, skillDenialKey } from '../../store/decisions/restrictions.ts';
import type { AuditRecord, Store } from '../../store/store.ts';
import { decisionTime } from '../../store/tombstones.ts';
import type { AuditData } from '../../surfaces/page/page-data.ts';
import type {
  Decider,
  PageReview,
  PageStanding,
  SkillTraits,
  VersionDecision,
} from '../../surfaces/page/page-ports.ts';
import type { ApprovalData } from '../../surfaces/page/review-data.ts';
import { pageVersions } from './page-versions.ts';
import { type SeenVersions, seenVersions } from './seen-versions.ts';

interface Opened {
  readonly store: Store;
  readonly seen: SeenVersions;
}

export interface PageReviewOptions {
  readonly store: () => Promise<Store>;
  /** The catalog under review. */
  readonly catalog: Catalog;
  /** The catalog that agents get. */
  readonly served: Catalog;
  readonly serving: Serving;
  readonly addressOf: AddressOf<SkillRecord>;
  /** Labels of the current origins of this server. */
  readonly labels: () => ReadonlySet<string>;
  /** True if approved bytes are stored, so that they are still served when the origin changes. */
  readonly keepsBytes: boolean;
  readonly onerror: (error: Error) => void;
}

export interface OpenPageReview extends PageReview {
  /** Starts to record versions, because somebody opened the page. */
  follow(): void;
  close(): Promise<void>;
}

export function pageReview(options: PageReviewOptions): OpenPageReview {
  const { catalog, served, serving, addressOf, keepsBytes, onerror } = options;
  const traitsOf = new WeakMap<SkillEntry, SkillTraits>();
  const { get } = loadOnce(async (): Promise<Opened> => {
    const store = await options.store();
    return { store, seen: seenVersions(store, catalog) };
  });

  const versions = pageVersions({ open: get, serving, catalog, served, addressOf, onerror });

  function approvalsOf({ state, audit }: Store, who: Decider): Approvals {
    const warn = ({ message }: { readonly message: string }): void => onerror(new Error(message));
    return createApprovals({ state, audit: auditOf(audit, who), warn });
  }

  /** Captures the entry that was shown. @throws PolicyError NOT_APPROVED if it changed since */
  async function captureShown({ skill, setDigest }: VersionDecision): Promise<Version> {
    const { label, entry } = addressOf(skill);
    const found = await captureEntry({ label, local: false }, entry.uri, { ...skill.source, entry });
    // The catalog may have a newer entry than the one of the request.
    const now = (await catalog.snapshot()).skill(skill.entry.uri);
    if (isVersion(found) && found.setDigest === setDigest && now?.entry === skill.entry) return found;
    throw changed(skill);
  }

  /** Reads all files and checks their digests against those shown. @throws PolicyError NOT_APPROVED if one changed */
  async function bytesOf(skill: SkillRecord): Promise<ReadonlyMap<string, Uint8Array>> {
    const all = new Map<string, Uint8Array>();
    for (const { uri, resource } of skill.files.values()) {
      const { bytes, file } = await catalog.read(uri, {});
      if (resource === undefined || file.resource?.digest !== resource.digest) throw changed(skill);
      all.set(uri, bytes);
    }
    return all;
  }

  async function prepareApproval(decision: VersionDecision): Promise<() => Promise<void>> {
    const { store } = await get();
    const { skill, execution, allowedTools, reason, who } = decision;
    const bytes = await bytesOf(skill);
    // The page shows hidden characters, and their number beside the button.
    const hiddenSeen = hidesText(skill.entry, textsOf(bytes));
    await versions.see(skill);
    if (keepsBytes)
      for (const { uri, resource } of skill.files.values())
        if (resource !== undefined) await store.blobs.put(resource.digest, bytes.get(uri) ?? new Uint8Array());
    const entry = await captureShown(decision);
    const { label } = entry;
    const { signer, change } = serving.signerOf(entry);
    if (change !== undefined) throw otherSigner(skill, change);
    await store.index.transact(() => ({ writes: contentWrites(label, entry.entry), result: undefined }));
    const granted = { grants: { execution, allowedTools }, reason, hiddenSeen, signer };
    return async () => {
      await approveVersion(store, approvalsOf(store, who), entry, granted);
    };
  }

  async function revokeDenial(
    { state, audit }: Store,
    { label, uri }: SkillAddress,
    reason: string,
    who: Decider,
  ): Promise<boolean> {
    const key = skillDenialKey({ label, uri });
    if ((await state.get(key)) === undefined) return false;
    const at = await decisionTime(state, key);
    await auditOf(audit, who)({ at, action: 'revoke', label, uri, by: 'person', reason, key });
    return state.delete(key);
  }

  return {
    asksApproval: () => serving.asksApproval(),
    subscribe: (listener) => serving.subscribe(listener),
    async stamp() {
      await serving.fresh();
      return String(serving.stamp());
    },
    async standings(snapshot) {
      await serving.fresh();
      return pageStandings(snapshot, serving, addressOf);
    },
    setDigest: async (skill) => serving.setDigest(addressOf(skill).entry),
    signature(skill) {
      const { signature, change } = serving.signerOf(addressOf(skill));
      return signature === undefined ? undefined : { ...signature, ...(change === undefined ? {} : { change }) };
    },

    traits({ entry }) {
      const known = traitsOf.get(entry);
      if (known !== undefined) return known;
      const { uri: base, resources } = entry;
      const folder = base.slice(0, -'SKILL.md'.length);
      const files = resources === 'dynamic' ? [] : resources;
      const traits = {
        scripts: files.filter(({ uri }) => isScript(uri.slice(folder.length)) || isExecutable(entry, uri)).length,
        tools: allowedToolsOf(entry).length,
      };
      traitsOf.set(entry, traits);
      return traits;
    },
    asks: ({ entry }, texts) => requestsOf(entry, texts),
    isScript,

    approve: async (decision) => (await prepareApproval(decision))(),
    prepareApproval,

    async deny(decision) {
      const { store } = await get();
      const { skill, reason, who } = decision;
      await versions.see(skill);
      await denyVersion(store, approvalsOf(store, who), await captureShown(decision), reason);
    },

    async revoke(skill, { reason, ...who }) {
      const { store } = await get();
      await serving.fresh();
      const { label, entry } = addressOf(skill);
      const { uri } = entry;
      const isDenied = serving.standing({ label, entry }).denial !== undefined;
      // Only the denial is revoked: an earlier approval remains.
      const revoked = !isDenied && (await approvalsOf(store, who).revoke({ label, uri }, reason));
      return (await revokeDenial(store, { label, uri }, reason, who)) || revoked;
    },

    async setEnabled(what, enabled, who) {
      const { store } = await get();
      const enablement = createEnablement(store.state, auditOf(store.audit, who));
      if (typeof what === 'string') return enablement.set(what, undefined, enabled);
      const { label, entry } = addressOf(what);
      return enablement.set(label, entry.uri, enabled);
    },

    async confirmation() {
      const { store } = await get();
      return confirmLast(store);
    },

    versions: (skill) => versions.versions(skill),
    change: (skill, from, to) => versions.change(skill, from, to),

    changeSize(skill) {
      const { label, entry } = addressOf(skill);
      const { approved, approval } = serving.standing({ label, entry });
      return approved !== 'changed' || approval === undefined ? undefined : fileChanges(approval.entry, entry);
    },

    async audit(most, { skills, only }) {
      const { store } = await get();
      const labels = options.labels();
      const known = new Map(skills.map((skill) => [keyOf(addressOf(skill)), skill.entry.uri]));
      const servedAt = ({ label = '', uri = '' }: AuditRecord): string | undefined =>
        known.get(keyOf({ label, entry: { uri } }));
      const records: AuditRecord[] = [];
      let total = 0;
      for await (const record of store.audit.read()) {
        if (only && servedAt(record) === undefined) continue;
        total++;
        records.push(record);
        if (records.length > most * 2) records.splice(0, most);
      }
      const newest = records.slice(-most).reverse();
      const rows = newest.map((record) => ({
        ...auditRow(record, servedAt(record)),
        ...(record.label === undefined || labels.has(record.label) ? {} : { elsewhere: true as const }),
      }));
      const { place } = store;
      return { records: rows, total, ...(only || place === undefined ? {} : { state: place }) };
    },

    follow: () => versions.follow(),

    close: () => versions.close(),
  };
}

const keyOf = ({ label, entry }: { readonly label: string; readonly entry: Pick<SkillEntry, 'uri'> }): string =>
  JSON.stringify([label, entry.uri]);

/** The audit trail; records name the decider if they are known, by the name and by the subject and issuer that identify them. */
function auditOf(audit: Store['audit'], { name, subject }: Decider): AuditTrail {
  const write = auditTrail(audit);
  if (name === undefined) return write;
  const person: Record<string, string> = subject === undefined ? {} : { subject: subject.id, issuer: subject.issuer };
  return ({ data, ...record }) => {
    const more = isJsonObject(data) ? data : {};
    return write({ ...record, data: { ...more, user: name, ...person } });
  };
}

function otherSigner({ entry: { uri } }: SkillRecord, change: string): PolicyError {
  const message = `Not approved: ${change}. If that is right, use "skillwire approve" with --allow-signer-change.`;
  return new PolicyError('SIGNER_CHANGED', message, { data: { uri } });
}

function changed({ entry: { uri } }: SkillRecord): PolicyError {
  return new PolicyError(
    'NOT_APPROVED',
    `Nothing was decided about ${quoteText(uri)}: it changed since it was shown. Review it again.`,
    { data: { uri } },
  );
}

function textsOf(files: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const [uri, bytes] of files) {
    const text = decodeUtf8(bytes);
    if (text !== undefined) texts.set(uri, text);
  }
  return texts;
}

/** The files that differ between an approved entry and the current one. */
function fileChanges(before: SkillEntry, after: SkillEntry) {
  const [was, is] = [filesOf(before), filesOf(after)];
  return {
    added: [...is.keys()].filter((uri) => !was.has(uri)).length,
    removed: [...was.keys()].filter((uri) => !is.has(uri)).length,
    changed: [...is].filter(([uri, digest]) => was.has(uri) && was.get(uri) !== digest).length,
  };
}

function filesOf({ resources }: SkillEntry): ReadonlyMap<string, string> {
  return new Map(resources === 'dynamic' ? [] : resources.map(({ uri, digest }) => [uri, digest]));
}

function contentWrites(label: string, { resources }: SkillEntry) {
  const files: readonly SkillResource[] = resources === 'dynamic' ? [] : resources;
  return files.map(({ uri, digest, size }) => ({ key: contentKey(label, uri), value: { digest, size } }));
}

function auditRow(record: AuditRecord, skill: string | undefined): AuditData['records'][number] {
  const { at, action, label, uri, by, reason, data } = record;
  const facts = typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>) : {};
  const { set, user } = facts;
  const about = uri === undefined ? auditObject(record) : undefined;
  return {
    at,
    action,
    label,
    uri,
    skill,
    by,
    reason,
    ...(about === undefined ? {} : { about }),
    ...(typeof set === 'string' ? { set } : {}),
    ...(typeof user === 'string' ? { user } : {}),
  };
}

export function pageStandings(
  snapshot: Snapshot,
  serving: Pick<Serving, 'standing' | 'restricts'>,
  addressOf: AddressOf<SkillRecord>,
): (skill: SkillRecord) => PageStanding {
  const known = new Map<SkillRecord, Standing>();
  const own = (skill: SkillRecord): Standing => {
    const found = known.get(skill) ?? serving.standing(addressOf(skill), skill.source);
    known.set(skill, found);
    return found;
  };
  const outer = serving.restricts()
    ? carriers(snapshot.skills, (skill) => own(skill).state === 'served')
    : new Map<SkillRecord, SkillRecord>();
  return (skill) => {
    const { state, why, approved, approval, denial } = own(skill);
    const decided = denial === undefined ? approval && approvalData(approval, approved) : deniedData(denial);
    const shown = { approved, approval: decided };
    const inner = outer.get(skill);
    if (inner === undefined) return { state, ...shown, why: why === undefined ? undefined : whyData(why) };
    const cause = own(inner);
    // Narrows the types: `inner` is never served, so it has a reason.
    if (cause.state === 'served' || cause.why === undefined) return { state: 'served', ...shown };
    const text = unservedText({ state: cause.state, reason: cause.why.reason });
    const reason = `it contains ${quoteText(inner.entry.uri)}, which ${text}`;
    return { state: cause.state, ...shown, why: { ...whyData(cause.why), reason } };
  };
}

function whyData({ reason, by, since }: NonNullable<Standing['why']>) {
  return { reason, by, since };
}

function deniedData({ setDigest, reason, at }: SkillDenial): ApprovalData {
  return { state: 'denied', setDigest, by: 'person', reason, at, execution: false, allowedTools: false };
}

function approvalData({ setDigest, by, reason, at, grants }: Approval, approved: Standing['approved']): ApprovalData {
  const state = approved === 'yes' ? 'approved' : 'changed';
  return { state, setDigest, by, reason, at, ...grants };
}
