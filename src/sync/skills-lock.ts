/**
 * Reads `skills-lock.json` of the `skills` command, to import a project: its skills and their sources. The content hashes are ignored: they
 * cover names and bytes without separators, in an order that depends on the locale. An entry with an unsupported source is reported.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { isArchiveName } from '../origins/kinds/folder.ts';
import type { OriginLocation } from '../origins/kinds.ts';
import { readLocation } from '../origins/location.ts';
import { quoteText } from '../skill/display-text.ts';
import { isJsonObject } from '../skill/json.ts';

export interface ForeignSkill {
  readonly name: string;
  /** Paths are as in the file. */
  readonly origin: OriginLocation;
}

export function isForeignLockName(path: string): boolean {
  return /(?:^|[\\/])skills-lock\.json$/.test(path);
}

/** @throws SkillwireError LOCK_INVALID */
export function parseForeignLock(text: string, path: string) {
  if (text.length > limits.sync.foreignLockBytes) throw invalid(path, 'it is too large');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid(path, 'it is not JSON', error);
  }
  if (!isJsonObject(value) || value.version !== 1 || !isJsonObject(value.skills))
    throw invalid(path, 'it is not of version 1');
  const skills: ForeignSkill[] = [];
  const unreadable: { name: string; reason: string }[] = [];
  for (const [name, entry] of Object.entries(value.skills)) {
    const origin = isJsonObject(entry) ? originOf(entry) : { fault: 'it is not an object' };
    if ('fault' in origin) unreadable.push({ name, reason: origin.fault });
    else skills.push({ name, origin });
  }
  return {
    skills,
    /** Names, each with the reason. */
    unreadable,
  };
}

/** The type of the source determines how its text is read. */
function originOf(entry: Readonly<Record<string, unknown>>): OriginLocation | { readonly fault: string } {
  const { source, sourceUrl, sourceType, ref } = entry;
  const url = typeof sourceUrl === 'string' ? sourceUrl : undefined;
  const named = typeof source === 'string' ? source : undefined;
  const at = typeof ref === 'string' && ref !== '' ? { ref } : {};
  switch (sourceType) {
    case 'github':
    case 'gitlab': {
      const host = sourceType === 'github' ? 'github.com' : 'gitlab.com';
      const repository = url ?? (named === undefined ? undefined : `https://${host}/${named}.git`);
      return repository === undefined ? noSource : readLocation({ kind: 'git', repository, ...at });
    }
    case 'git':
      return (url ?? named) === undefined ? noSource : readLocation({ kind: 'git', repository: url ?? named, ...at });
    case 'well-known':
      return (url ?? named) === undefined ? noSource : readLocation({ kind: 'site', url: url ?? `https://${named}` });
    case 'local': {
      const path = named ?? url;
      return path === undefined ? noSource : readLocation({ kind: isArchiveName(path) ? 'archive' : 'folder', path });
    }
    default:
      return { fault: `sources of type ${quoteText(String(sourceType))} are not supported` };
  }
}

const noSource = { fault: 'it has no source' } as const;

function invalid(path: string, fault: string, cause?: unknown): SkillwireError {
  return new SkillwireError('LOCK_INVALID', `Cannot import ${quoteText(path)}: ${fault}.`, {
    data: { path, fault },
    cause,
  });
}
