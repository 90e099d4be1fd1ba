/**
 * A loaded skill while a model acts on it. Reads resolve only to URIs of the captured entry (SEP-2640: H-33); a file
 * that the entry does not list is a failure, whatever a directory shows (H-34, H-41, H-43). Each read checks again that
 * the skill is enabled and its approval is valid. A nested `SKILL.md` is an ordinary file here: its frontmatter has no
 * effect (H-6).
 */
import { PolicyError, SkillwireError, VerificationError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { fetchBytes } from '../cache/content-cache.ts';
import type { HostOrigin } from '../discover/origins.ts';
import type { HostCore } from '../host-core.ts';
import { type EntryFiles, entryFiles, resolvableEntry } from '../load/entry-files.ts';
import type { LoadedFile, LoadedSkill, ReadOptions } from '../load/loaded-skill.ts';
import { afterMismatch } from '../load/mismatch.ts';
import { resolveFileReference } from '../load/resolve-reference.ts';
import {
  checkPartially,
  isRuledOut,
  type UnverifiedFile,
  type UnverifiedSkill,
  unlisted,
  unverifiedFileOf,
  type VerifiedFile,
  type VerifiedSkill,
  verifyFile,
} from '../load/verify.ts';
import { fileText, skillText } from '../present/skill-text.ts';
import type { ApprovedEntry } from './approvals.ts';
import { requestsOf } from './skill-requests.ts';

export interface ActingWindow {
  readonly skill: LoadedSkill;
  readonly approved: ApprovedEntry;
  /** Stops reads; the skill still counts as acting until it is released. */
  end(reason: string): void;
}

/** All files of a skill without sizes may together have as many bytes as one skill (H-21). */
export function approvedReader(core: HostCore, origin: HostOrigin, approved: ApprovedEntry) {
  const { entry, partial } = approved.captured;
  let left: number = limits.skill.bytes;

  async function readUnverified(uri: string, path: string, signal: AbortSignal | undefined): Promise<UnverifiedFile> {
    if (isRuledOut(uri, partial)) throw unlisted(uri);
    const most = uri === entry.uri ? Math.min(left, limits.host.skillMdBytes) : left;
    core.budget.spend(origin.label, 0);
    const bytes = await fetchBytes(core.origins, origin, uri, { signal, maxBytes: most, tooLarge: 'limit' });
    left -= bytes.byteLength;
    if (left < 0)
      throw new VerificationError('limit', `Cannot use ${quoteText(uri)}: the skill exceeds its size limit.`);
    core.budget.spend(origin.label, bytes.byteLength, 0);
    await checkPartially(uri, bytes, partial);
    return unverifiedFileOf(approved, uri, path, bytes);
  }

  return {
    async read(uri: string, path: string, signal: AbortSignal | undefined): Promise<VerifiedFile | UnverifiedFile> {
      try {
        if (entry.resources === 'dynamic') return await readUnverified(uri, path, signal);
        const resource = entry.resources.find((file) => file.uri === uri);
        if (resource === undefined) throw unlisted(uri);
        return verifyFile(approved, await core.cache.open(origin, resource, { signal }), path);
      } catch (error) {
        if (error instanceof VerificationError && error.reason !== 'limit')
          return afterMismatch(core, origin, approved, error, signal);
        throw error;
      }
    },
  };
}

/** Reads files of one approved skill, and counts unverified bytes. */
export type ApprovedReader = ReturnType<typeof approvedReader>;

export interface OpenWindow {
  readonly id: string;
  readonly origin: HostOrigin;
  readonly approved: ApprovedEntry;
  readonly skill: VerifiedSkill | UnverifiedSkill;
  readonly reader: ApprovedReader;
  readonly onRelease: () => void;
}

export function openWindow(
  core: HostCore,
  { id, origin, approved, skill, reader, onRelease }: OpenWindow,
): ActingWindow {
  const { captured, approval } = approved;
  const { entry, label, local, formerUris } = captured;
  const { uri, frontmatter } = entry;
  let files: EntryFiles | undefined;
  let released = false;
  let ended: string | undefined;

  function filesOf(): EntryFiles {
    files ??= entryFiles(captured);
    return files;
  }

  function requireOpen(): void {
    const gone = core.origins.isCurrent(origin) ? undefined : 'its origin was removed';
    const why = released ? 'it was released' : (ended ?? gone);
    if (why === undefined) return;
    const message = `Cannot read files of ${quoteText(uri)} of ${quoteText(label)}: ${why}. Load it again.`;
    throw new SkillwireError('WINDOW_CLOSED', message, { data: { label, uri } });
  }

  async function requireInForce(): Promise<void> {
    requireOpen();
    await core.enablement.require({ label, uri, formerUris });
    if ((await core.approvals.inForce(approved)) !== undefined) return;
    const message = `Cannot read files of ${quoteText(uri)} of ${quoteText(label)}: its approval was revoked. Load it again.`;
    throw new PolicyError('NOT_APPROVED', message, { data: { label, uri } });
  }

  async function read(reference: string, { from, signal }: ReadOptions = {}): Promise<LoadedFile> {
    await requireInForce();
    const found = resolveFileReference(reference, { entry: resolvableEntry(captured), from });
    const file =
      found === undefined
        ? await afterMismatch(core, origin, approved, unlisted(reference), signal)
        : await reader.read(found.uri, found.path, signal);
    // It may have been released or disabled during the request.
    await requireInForce();
    return { uri: file.uri, path: file.path, bytes: file.bytes, verified: file.verified, text: fileText(file) };
  }

  const loaded: LoadedSkill = {
    id,
    label,
    local,
    remote: !local,
    uri,
    name: frontmatter.name,
    entry,
    verified: skill.verified,
    grants: {
      execution: approval.grants.execution,
      allowedTools: approval.grants.allowedTools ? requestsOf(entry).allowedTools : [],
    },
    text: skillText(skill),
    get released() {
      return released;
    },
    files: () => filesOf().list,
    readDirectory: (path) => filesOf().directory(path),
    read,
    release() {
      if (released) return;
      released = true;
      onRelease();
    },
  };
  return {
    skill: loaded,
    approved,
    end(reason) {
      ended ??= reason;
    },
  };
}
