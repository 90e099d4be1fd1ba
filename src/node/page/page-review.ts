/**
 * Decisions in the page are those of hosts: the same state, the same audit, the same rules (`host/approvals.ts`). What is approved is held
 * first, and held means exactly the set of files that was shown. The store is opened when something is asked for first.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import type { SkillRecord } from '../../catalog/snapshot.ts';
import { PolicyError, SkillwireError } from '../../errors.ts';
import { type Approvals, createApprovals } from '../../host/approvals.ts';
import { type AuditTrail, auditTrail } from '../../host/audit-trail.ts';
import { contentKey } from '../../host/content-cache.ts';
import { createEnablement, type Enablement } from '../../host/enablement.ts';
import { type HeldEntry, holdEntry } from '../../host/hold.ts';
import { allowedToolsOf, asksOf, hidesText, isExecutable, isScript } from '../../host/skill-asks.ts';
import { describeChange, type FileChange } from '../../host/skill-change.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { SkillEntry, SkillResource } from '../../skill/entry.ts';
import { decodeUtf8 } from '../../skill/media-type.ts';
import type { AuditRecord, Store } from '../../store/store.ts';
import type { AuditData, FileChangeData } from '../../surfaces/page/page-data.ts';
import type { Decision, PageReview, SkillTraits } from '../../surfaces/page/page-ports.ts';
import { type Denial, deniedKey, type ReviewState, reviewState } from './review-state.ts';
import { type SeenVersion, type SeenVersions, seenVersions } from './seen-versions.ts';

interface Opened {
  readonly store: Store;
  readonly approvals: Approvals;
  readonly enablement: Enablement;
  readonly audit: AuditTrail;
  readonly state: ReviewState;
  readonly seen: SeenVersions;
}

export interface PageReviewOptions {
  readonly store: () => Promise<Store>;
  readonly catalog: Catalog;
  readonly labelOf: (skill: SkillRecord) => string;
  readonly onerror: (error: Error) => void;
}

export interface OpenPageReview extends PageReview {
  /** Somebody looks: from now on versions are followed. */
  follow(): void;
  close(): Promise<void>;
}

export function pageReview({ store, catalog, labelOf, onerror }: PageReviewOptions): OpenPageReview {
  const traitsOf = new WeakMap<SkillEntry, SkillTraits>();
  const budget: { left: number } = { left: limits.page.followedBytes };
  let opened: Promise<Opened> | undefined;
  let following: Promise<void> | undefined;
  let unsubscribe: (() => void) | undefined;
  let closed = false;

  async function open(): Promise<Opened> {
    const own = await store();
    const audit = auditTrail(own.audit);
    const warn = ({ message }: { readonly message: string }): void => onerror(new Error(message));
    const approvals = createApprovals({ state: own.state, audit, warn });
    return {
      store: own,
      approvals,
      enablement: createEnablement(own.state, audit),
      audit,
      state: reviewState(own.state, approvals),
      seen: seenVersions(own, catalog),
    };
  }

  function get(): Promise<Opened> {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  }

  /** A failure to keep what was seen is told, and changes nothing else. */
  async function see(skill: SkillRecord, room: { left: number }): Promise<void> {
    const { state, seen } = await get();
    const digest = await state.setDigest(skill.entry);
    if (digest === undefined || closed) return;
    await seen.see(labelOf(skill), skill, digest);
    await seen.keepTexts(skill, room);
  }

  async function seeTolerantly(skill: SkillRecord, room: { left: number }): Promise<void> {
    try {
      await see(skill, room);
    } catch (error) {
      if (!closed) onerror(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async function followAll(): Promise<void> {
    const { skills } = await catalog.snapshot();
    unsubscribe = catalog.subscribe(({ snapshot, added, changed }) => {
      for (const uri of [...changed, ...added].slice(0, limits.page.followedSkills)) {
        const skill = snapshot.skill(uri);
        if (skill !== undefined) void seeTolerantly(skill, budget);
      }
    });
    for (const skill of skills.slice(0, limits.page.followedSkills)) {
      if (closed) return;
      await seeTolerantly(skill, budget);
    }
  }

  /** The entry as it was shown. @throws PolicyError NOT_APPROVED */
  async function held({ skill, label, setDigest }: Decision): Promise<HeldEntry> {
    const { uri } = skill.entry;
    const entry = await holdEntry({ label, local: false }, uri, skill.source);
    // The catalog may know a newer one than the request saw.
    const now = (await catalog.snapshot()).skill(uri);
    if (entry.setDigest === setDigest && now?.entry === skill.entry) return entry;
    throw new PolicyError(
      'NOT_APPROVED',
      `nothing was decided about ${quoteText(uri)}: it changed since it was shown`,
      {
        data: { uri },
      },
    );
  }

  async function textsOf(skill: SkillRecord): Promise<ReadonlyMap<string, string>> {
    const texts = new Map<string, string>();
    for (const { uri } of skill.files.values()) {
      const text = decodeUtf8((await catalog.read(uri, {})).bytes);
      if (text !== undefined) texts.set(uri, text);
    }
    return texts;
  }

  async function version(label: string, skill: SkillRecord, setDigest: string): Promise<SeenVersion> {
    const { seen } = await get();
    const found = (await seen.versions(label, skill.entry.uri)).find((one) => one.setDigest === setDigest);
    if (found !== undefined) return found;
    throw new SkillwireError(
      'SKILL_NOT_FOUND',
      `cannot compare ${quoteText(skill.entry.uri)}: the version ${quoteText(setDigest)} was not seen here`,
      { data: { uri: skill.entry.uri, setDigest } },
    );
  }

  return {
    stamp: async () => (await get()).state.stamp(),
    standings: async (snapshot, label) => (await get()).state.standings(snapshot, label),
    setDigest: async ({ entry }) => (await get()).state.setDigest(entry),

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
    asks: ({ entry }, texts) => asksOf(entry, texts),
    isScript,

    async approve(decision) {
      const { approvals, store: own } = await get();
      const entry = await held(decision);
      const texts = await textsOf(decision.skill);
      const { label, skill, execution, allowedTools, reason } = decision;
      await seeTolerantly(skill, { left: limits.skill.bytes });
      await own.index.transact(() => ({ writes: contentWrites(label, skill.entry), result: undefined }));
      await approvals.grant(entry, {
        grants: { execution, allowedTools },
        by: 'person',
        reason,
        remember: 'stored',
        // The page shows such characters, and says how many there are beside the button.
        hiddenSeen: hidesText(skill.entry, texts),
      });
      await own.state.delete(deniedKey(label, skill.entry.uri));
    },

    async deny(decision) {
      const { approvals, store: own } = await get();
      const entry = await held(decision);
      const { label, skill, reason, setDigest } = decision;
      await seeTolerantly(skill, { left: limits.skill.bytes });
      await approvals.refuse(entry, 'person', reason);
      const denial: Denial = { setDigest, reason, at: new Date().toISOString() };
      await own.state.set(deniedKey(label, skill.entry.uri), { ...denial });
      await approvals.revoke({ label, uri: skill.entry.uri }, reason);
    },

    async revoke(label, uri, reason) {
      const { approvals, audit, store: own } = await get();
      if (await approvals.revoke({ label, uri }, reason)) return true;
      if ((await own.state.get(deniedKey(label, uri))) === undefined) return false;
      await audit({ action: 'revoke', label, uri, by: 'person', reason });
      return own.state.delete(deniedKey(label, uri));
    },

    setEnabled: async (label, uri, enabled) => (await get()).enablement.set(label, uri, enabled),

    async versions(label, skill) {
      const { state, seen } = await get();
      await seeTolerantly(skill, { left: limits.skill.bytes });
      const current = await state.setDigest(skill.entry);
      const approval = (await state.standings(await catalog.snapshot(), () => label))(skill).approval;
      const now = new Date().toISOString();
      return (await seen.versions(label, skill.entry.uri)).map(({ setDigest, first, last, entry }) => {
        const files = entry.resources === 'dynamic' ? [] : entry.resources;
        return {
          setDigest,
          firstSeen: first,
          lastSeen: setDigest === current ? now : last,
          files: files.length,
          bytes: files.reduce((total, { size }) => total + size, 0),
          current: setDigest === current,
          approved: approval?.state !== 'denied' && approval?.setDigest === setDigest,
        };
      });
    },

    async change(label, skill, from, to) {
      const { seen } = await get();
      const [before, after] = await Promise.all([version(label, skill, from), version(label, skill, to)]);
      const changed = touched(before.entry, after.entry);
      const withTexts = async ({ entry }: SeenVersion) => {
        const texts = new Map<string, string>();
        for (const resource of entry.resources === 'dynamic' ? [] : entry.resources) {
          if (!changed.has(resource.uri)) continue;
          const text = await seen.text(resource);
          if (text !== undefined) texts.set(resource.uri, text);
        }
        return { entry, texts };
      };
      const change = describeChange(await withTexts(before), await withTexts(after));
      const { summary, frontmatter, newHosts, allowedTools } = change;
      return {
        from,
        to,
        summary,
        added: change.added.map(fileData),
        removed: change.removed.map(fileData),
        changed: change.changed.map(fileData),
        frontmatter,
        newHosts,
        allowedTools,
      };
    },

    async audit(most) {
      const { store: own } = await get();
      const records: AuditRecord[] = [];
      let total = 0;
      for await (const record of own.audit.read()) {
        total++;
        records.push(record);
        if (records.length > most * 2) records.splice(0, most);
      }
      return { records: records.slice(-most).reverse().map(auditRow), total };
    },

    follow() {
      following ??= followAll().catch((error: unknown) => {
        if (!closed) onerror(error instanceof Error ? error : new Error(String(error)));
      });
    },

    async close() {
      closed = true;
      unsubscribe?.();
      await following;
      const own = await opened?.catch(() => undefined);
      await own?.store.close();
    },
  };
}

function contentWrites(label: string, { resources }: SkillEntry) {
  const files: readonly SkillResource[] = resources === 'dynamic' ? [] : resources;
  return files.map(({ uri, digest, size }) => ({ key: contentKey(label, uri), value: { digest, size } }));
}

/** URIs of files that are not the same in both. */
function touched(before: SkillEntry, after: SkillEntry): ReadonlySet<string> {
  const digests = (entry: SkillEntry): ReadonlyMap<string, string> =>
    new Map(entry.resources === 'dynamic' ? [] : entry.resources.map(({ uri, digest }) => [uri, digest]));
  const [a, b] = [digests(before), digests(after)];
  return new Set([...a.keys(), ...b.keys()].filter((uri) => a.get(uri) !== b.get(uri)));
}

function fileData({ path, script, executable, textKnown, sizeBefore, sizeAfter, diff }: FileChange): FileChangeData {
  return {
    path,
    script,
    executable,
    textKnown,
    ...(sizeBefore === undefined ? {} : { sizeBefore }),
    ...(sizeAfter === undefined ? {} : { sizeAfter }),
    ...(diff === undefined ? {} : { diff }),
  };
}

function auditRow({ at, action, label, uri, by, reason, data }: AuditRecord): AuditData['records'][number] {
  const set = typeof data === 'object' && data !== null && 'set' in data ? data.set : undefined;
  return {
    at,
    action,
    ...(label === undefined ? {} : { label }),
    ...(uri === undefined ? {} : { uri }),
    ...(by === undefined ? {} : { by }),
    ...(reason === undefined ? {} : { reason }),
    ...(typeof set === 'string' ? { set } : {}),
  };
}
