/**
 * An approved skill as served, and its bytes. Nothing unapproved is served: files, frontmatter and `_meta` come from the approval. Parts
 * that an origin can change later (media types, empty folders, its own provenance) are left out. The bytes are copied into the store, so they
 * survive a change of the origin.
 */
import { SkillwireError } from '../errors.ts';
import { metaPrefix } from '../project.ts';
import type { ApprovedSkill, OriginDecisions } from '../serving/serving-state.ts';
import { sha256Digest } from '../skill/digest.ts';
import { executableMetaKey, type SkillEntry } from '../skill/entry.ts';
import { decodeProvenance, originMetaKey } from '../skill/provenance.ts';
import type { SkillSource, SourceContext, SourceFile, SourceSkill } from '../sources/skill-source.ts';
import { pinnedMetaKey } from './pinned-skill.ts';

/** `_meta` key: when the skill was approved, and whether that is the origin's current version. */
const approvedMetaKey: string = `${metaPrefix}approved`;

/** @param same whether the live skill has the approved files */
export function approvedSource(live: SourceSkill, { entry, at }: ApprovedSkill, same: boolean): SourceSkill {
  const { uri, frontmatter, resources } = entry;
  const { listed, aliases, ttlMs, cacheScope, isLocal, madeFrom, updatedMs } = live;
  const _meta = { ...approvedMeta(entry), ...ownMeta(live.entry), [approvedMetaKey]: { at, current: same } };
  return {
    entry: { uri, frontmatter, resources, _meta },
    listed,
    ttlMs,
    cacheScope,
    // Aliases are never published.
    ...(same ? { aliases, isLocal, madeFrom, updatedMs } : {}),
  };
}

/** The `_meta` that the approver saw. Of our own keys, only the one that origins set. */
function approvedMeta({ _meta = {} }: SkillEntry): Readonly<Record<string, unknown>> {
  const seen = Object.entries(_meta).filter(([key]) => !key.startsWith(metaPrefix) || key === executableMetaKey);
  return Object.fromEntries(seen);
}

/** The `_meta` that this server adds. */
function ownMeta({ _meta = {} }: SkillEntry): Readonly<Record<string, unknown>> {
  const provenance = decodeProvenance(_meta[originMetaKey]);
  const { from: _, ...origin } = provenance ?? {};
  return {
    ...(provenance === undefined ? {} : { [originMetaKey]: origin }),
    ...(_meta[pinnedMetaKey] === undefined ? {} : { [pinnedMetaKey]: _meta[pinnedMetaKey] }),
  };
}

/** The approval of a skill whose signature file changed, and nothing else. */
export function withFilesOf({ entry, at }: ApprovedSkill, { resources }: SkillEntry): ApprovedSkill {
  return { entry: { ...entry, resources: resources === 'dynamic' ? entry.resources : resources }, at };
}

/** Whether two entries have the same files with the same digests. */
export function sameFiles(a: SkillEntry | undefined, b: SkillEntry | undefined): boolean {
  if (a === undefined || b === undefined || a.resources === 'dynamic' || b.resources === 'dynamic') return false;
  if (a.resources.length !== b.resources.length) return false;
  const digests = new Map(b.resources.map(({ uri, digest }) => [uri, digest]));
  return a.resources.every(({ uri, digest }) => digests.get(uri) === digest);
}

/** Whether the files that both entries name have the same digests. */
export function sameWhereBoth(outer: SkillEntry, inner: SkillEntry): boolean {
  if (outer.resources === 'dynamic' || inner.resources === 'dynamic') return true;
  const digests = new Map(outer.resources.map(({ uri, digest }) => [uri, digest]));
  return inner.resources.every(({ uri, digest }) => (digests.get(uri) ?? digest) === digest);
}

type ApprovedStore = Pick<OriginDecisions, 'allApproved' | 'bytes' | 'hasBytes' | 'pin' | 'pinFailed'>;

/** @param liveEntry the current entry of the origin */
export function createApprovedBytes(
  source: Pick<SkillSource, 'open'>,
  store: ApprovedStore,
  liveEntry: (uri: string) => SkillEntry | undefined,
) {
  /** Approvals whose bytes are all stored. The state refers to them, so they are never collected. */
  const whole = new WeakSet<ApprovedSkill>();
  let copying: Promise<void> | undefined;
  let closed = false;

  async function copyAll(approval: ApprovedSkill): Promise<void> {
    for (const { uri, digest, size } of approval.entry.resources)
      if (!(await store.hasBytes(digest)) && !(await copyFrom(uri, digest, size, {}))) return;
    whole.add(approval);
  }

  async function copyFrom(uri: string, digest: string, size: number, context: SourceContext): Promise<boolean> {
    const file = await source.open(uri, { ...context, maxBytes: size });
    if (file === undefined || file.bytes.length !== size || (await sha256Digest(file.bytes)) !== digest) return false;
    await store.pin(digest, file.bytes);
    return true;
  }

  return {
    /** Whether all bytes of an approval are in the store. */
    async isWhole(approval: ApprovedSkill): Promise<boolean> {
      if (whole.has(approval)) return true;
      for (const { digest } of approval.entry.resources) if (!(await store.hasBytes(digest))) return false;
      whole.add(approval);
      return true;
    },
    /** Copies the bytes of current approved versions in the background. */
    copySoon(): void {
      copying ??= (async () => {
        for (const approval of store.allApproved()) {
          if (closed) return;
          if (whole.has(approval) || !sameFiles(liveEntry(approval.entry.uri), approval.entry)) continue;
          try {
            await copyAll(approval);
          } catch (error) {
            // An origin that does not answer is retried with the next decisions.
            if (!(error instanceof SkillwireError)) store.pinFailed(error);
          }
        }
      })().finally(() => {
        copying = undefined;
      });
    },
    /** A file of an approved entry. @throws SkillwireError STATE_UNUSABLE if its bytes are lost */
    async open(uri: string, { resources }: SkillEntry, context: SourceContext): Promise<SourceFile | undefined> {
      const file = resources === 'dynamic' ? undefined : resources.find((one) => one.uri === uri);
      if (file === undefined) return undefined;
      const { digest, size } = file;
      let bytes = await store.bytes(digest);
      if (bytes === undefined && (await copyFrom(uri, digest, size, context))) bytes = await store.bytes(digest);
      if (bytes !== undefined) return { bytes, digest };
      const message = `Cannot read "${uri}": its approved bytes are lost. Approve it again.`;
      throw new SkillwireError('STATE_UNUSABLE', message, { data: { uri, digest } });
    },
    async close(): Promise<void> {
      closed = true;
      await copying;
    },
  };
}
