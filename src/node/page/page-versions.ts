/**
 * The versions of a skill, and the changes between two of them. It has all versions seen here, and the approved one even if it was approved
 * elsewhere. Versions of every skill are recorded from the first visit of the page on, within limits.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import type { SkillRecord } from '../../catalog/snapshot.ts';
import { SkillwireError } from '../../errors.ts';
import { describeChange, type FileChange } from '../../host/approve/skill-change.ts';
import { limits } from '../../limits.ts';
import type { Serving } from '../../serving/serving.ts';
import { type AddressOf, movedEntry } from '../../serving/skill-address.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { SkillEntry } from '../../skill/entry.ts';
import type { PageReview } from '../../surfaces/page/page-ports.ts';
import type { FileChangeData } from '../../surfaces/page/review-data.ts';
import type { SeenVersion, SeenVersions } from './seen-versions.ts';

export interface VersionsContext {
  readonly open: () => Promise<{ readonly seen: SeenVersions }>;
  readonly serving: Pick<Serving, 'setDigest' | 'standing' | 'fresh'>;
  /** The catalog under review. */
  readonly catalog: Catalog;
  /** The catalog that agents get. */
  readonly served: Catalog;
  readonly addressOf: AddressOf<SkillRecord>;
  readonly onerror: (error: Error) => void;
}

export interface PageVersions extends Pick<PageReview, 'versions' | 'change'> {
  /** Records the current version of the skill. A failure is reported, and has no other effect. */
  see(skill: SkillRecord): Promise<void>;
  /** Starts to record versions, because somebody opened the page. */
  follow(): void;
  close(): Promise<void>;
}

export function pageVersions({ open, serving, catalog, served, addressOf, onerror }: VersionsContext): PageVersions {
  const budget: { left: number } = { left: limits.page.followedBytes };
  let following: Promise<void> | undefined;
  let unsubscribe: (() => void) | undefined;
  let closed = false;

  function report(error: unknown): void {
    if (!closed) onerror(error instanceof Error ? error : new Error(String(error)));
  }

  async function see(skill: SkillRecord, room: { left: number }): Promise<void> {
    try {
      const { seen } = await open();
      const { label, entry } = addressOf(skill);
      const digest = serving.setDigest(entry);
      if (digest === undefined || closed) return;
      await seen.see(label, skill, digest);
      // The approval may be replaced by a newer one; its version stays in the list.
      await all(skill);
      await seen.keepTexts(skill, room);
    } catch (error) {
      report(error);
    }
  }

  async function followAll(): Promise<void> {
    const { skills } = await catalog.snapshot();
    unsubscribe = catalog.subscribe(({ snapshot, added, changed }) => {
      for (const uri of [...changed, ...added].slice(0, limits.page.followedSkills)) {
        const skill = snapshot.skill(uri);
        if (skill !== undefined) void see(skill, budget);
      }
    });
    for (const skill of skills.slice(0, limits.page.followedSkills)) {
      if (closed) return;
      await see(skill, budget);
    }
  }

  /** All versions, with the URIs at which the skill is served. */
  async function all(skill: SkillRecord): Promise<readonly SeenVersion[]> {
    const { seen } = await open();
    const address = addressOf(skill);
    const known = await seen.versions(address.label, skill.entry.uri);
    const { approval } = serving.standing(address);
    const set = approval?.setDigest;
    const same = known.find(({ setDigest }) => setDigest === set);
    if (approval === undefined || set === undefined || same?.approvedAt === approval.at) return known;
    const { at } = approval;
    const entry = movedEntry(approval.entry, skill.entry.uri);
    const approved = { setDigest: set, entry, first: at, last: at, ...same, approvedAt: at };
    await seen.noteApproval(address.label, skill.entry.uri, approved);
    return [approved, ...known.filter((version) => version !== same)].sort((a, b) => (a.first < b.first ? -1 : 1));
  }

  async function versionOf(skill: SkillRecord, setDigest: string): Promise<SeenVersion> {
    const found = (await all(skill)).find((one) => one.setDigest === setDigest);
    if (found !== undefined) return found;
    throw new SkillwireError(
      'SKILL_NOT_FOUND',
      `Cannot compare ${quoteText(skill.entry.uri)}: the version ${quoteText(setDigest)} was not seen here. Choose another version.`,
      { data: { uri: skill.entry.uri, setDigest } },
    );
  }

  function digestOf(skill: SkillRecord | undefined): string | undefined {
    return skill === undefined ? undefined : serving.setDigest(addressOf(skill).entry);
  }

  return {
    see: (skill) => see(skill, { left: limits.skill.bytes }),

    async versions(skill) {
      await see(skill, { left: limits.skill.bytes });
      const current = digestOf(skill);
      const servedDigest = digestOf((await served.snapshot()).skill(skill.entry.uri));
      const { approval } = serving.standing(addressOf(skill));
      const now = new Date().toISOString();
      return (await all(skill)).map(({ setDigest, first, last, entry, approvedAt }) => {
        const files = entry.resources === 'dynamic' ? [] : entry.resources;
        return {
          setDigest,
          firstSeen: first,
          lastSeen: setDigest === current ? now : last,
          files: files.length,
          bytes: files.reduce((total, { size }) => total + size, 0),
          current: setDigest === current,
          approved: approval?.setDigest === setDigest,
          approvedAt,
          served: setDigest === servedDigest,
        };
      });
    },

    async change(skill, from, to) {
      const { seen } = await open();
      const [before, after] = await Promise.all([versionOf(skill, from), versionOf(skill, to)]);
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

    follow() {
      following ??= followAll().catch(report);
    },

    async close() {
      closed = true;
      unsubscribe?.();
      await following;
    },
  };
}

/** URIs of files that differ between the two entries. */
function touched(before: SkillEntry, after: SkillEntry): ReadonlySet<string> {
  const digests = (entry: SkillEntry): ReadonlyMap<string, string> =>
    new Map(entry.resources === 'dynamic' ? [] : entry.resources.map(({ uri, digest }) => [uri, digest]));
  const [a, b] = [digests(before), digests(after)];
  return new Set([...a.keys(), ...b.keys()].filter((uri) => a.get(uri) !== b.get(uri)));
}

function fileData({ path, script, executable, textKnown, sizeBefore, sizeAfter, diff }: FileChange): FileChangeData {
  return { path, script, executable, textKnown, sizeBefore, sizeAfter, diff };
}
