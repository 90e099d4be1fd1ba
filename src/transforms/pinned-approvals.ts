/** The bytes of approved skills, copied into the store so that they are there when the origin changes. */
import { SkillwireError } from '../errors.ts';
import type { ApprovedSkill } from '../serving/origin-decisions.ts';
import { sha256Digest } from '../skill/digest.ts';
import type { SkillEntry } from '../skill/entry.ts';
import type { SkillSource, SourceContext, SourceFile } from '../sources/skill-source.ts';
import { sameFiles } from './approved-entry.ts';

export interface PinningStore {
  /** All of the origin. */
  allApproved(): readonly ApprovedSkill[];
  bytes(digest: string): Promise<Uint8Array | undefined>;
  holds(digest: string): Promise<boolean>;
  pin(digest: string, bytes: Uint8Array): Promise<void>;
  pinFailed(error: unknown): void;
}

export interface Pinning {
  /** Whether all bytes of an approval are in the store. */
  isWhole(approval: ApprovedSkill): Promise<boolean>;
  /** Copies the bytes of what is approved as it is now. Nobody waits for it. */
  soon(): void;
  /** A file of an approved entry. @throws SkillwireError STATE_UNUSABLE if its bytes are lost */
  open(uri: string, entry: SkillEntry, context: SourceContext): Promise<SourceFile | undefined>;
  close(): Promise<void>;
}

/** @param liveEntry what the origin has at a URI now */
export function createPinning(
  source: Pick<SkillSource, 'open'>,
  store: PinningStore,
  liveEntry: (uri: string) => SkillEntry | undefined,
): Pinning {
  /** Approvals whose bytes are all there; the state pins them. */
  const whole = new WeakSet<ApprovedSkill>();
  let pinning: Promise<void> | undefined;
  let closed = false;

  async function pinAll(approval: ApprovedSkill): Promise<void> {
    for (const { uri, digest, size } of approval.entry.resources)
      if (!(await store.holds(digest)) && !(await pinFrom(uri, digest, size, {}))) return;
    whole.add(approval);
  }

  async function pinFrom(uri: string, digest: string, size: number, context: SourceContext): Promise<boolean> {
    const file = await source.open(uri, { ...context, maxBytes: size });
    if (file === undefined || file.bytes.length !== size || (await sha256Digest(file.bytes)) !== digest) return false;
    await store.pin(digest, file.bytes);
    return true;
  }

  return {
    async isWhole(approval) {
      if (whole.has(approval)) return true;
      for (const { digest } of approval.entry.resources) if (!(await store.holds(digest))) return false;
      whole.add(approval);
      return true;
    },
    soon() {
      pinning ??= (async () => {
        for (const approval of store.allApproved()) {
          if (closed) return;
          if (whole.has(approval) || !sameFiles(liveEntry(approval.entry.uri), approval.entry)) continue;
          try {
            await pinAll(approval);
          } catch (error) {
            // An origin that does not answer now is asked again when its approvals are looked at next.
            if (!(error instanceof SkillwireError)) store.pinFailed(error);
          }
        }
      })().finally(() => {
        pinning = undefined;
      });
    },
    async open(uri, { resources }, context) {
      const file = resources === 'dynamic' ? undefined : resources.find((one) => one.uri === uri);
      if (file === undefined) return undefined;
      const kept = await store.bytes(file.digest);
      if (kept !== undefined) return { bytes: kept, digest: file.digest };
      if (await pinFrom(uri, file.digest, file.size, context)) {
        const pinned = await store.bytes(file.digest);
        if (pinned !== undefined) return { bytes: pinned, digest: file.digest };
      }
      throw new SkillwireError(
        'STATE_UNUSABLE',
        `cannot read "${uri}": its approved bytes are lost; approve it again`,
        { data: { uri, digest: file.digest } },
      );
    },
    async close() {
      closed = true;
      await pinning;
    },
  };
}
