/**
 * Decides which links are followed. A link may lead to anything inside the root (or inside the linked skill folder that
 * contains it). A link to a skill folder may also lead into another root or into an `.agents/skills` folder, as popular
 * installers create them. Any other link is a finding; its target is never opened.
 */
import { realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { skillFileName } from '../../skill/entry.ts';
import type { FindingRule } from '../../skill/finding.ts';
import type { IgnoreLevel } from './ignore-file.ts';
import { unpublishedName } from './publish-rules.ts';

export interface FollowedLink {
  /** The real path of its target. */
  readonly target: string;
  readonly kind: 'file' | 'folder' | 'special';
  /** Set if the target is outside the root: links inside it may lead anywhere in it. */
  readonly opens?: string;
  /** Why the target itself is never published. */
  readonly unpublished?: string;
  /** The `.skillignore` rules on the path to the target. */
  readonly ignores?: readonly IgnoreLevel[];
}

/** The folder that contains a link. */
export interface LinkPlace {
  readonly real: string;
  readonly areas: readonly string[];
  readonly above: FolderAbove | undefined;
}

/** Real paths of the parent folders, nearest first. A linked list, because all descendants share it. */
export interface FolderAbove {
  readonly real: string;
  readonly next: FolderAbove | undefined;
}

function isAround({ real, above }: LinkPlace, target: string): boolean {
  if (isInside(target, real)) return true;
  for (let folder = above; folder !== undefined; folder = folder.next) if (isInside(target, folder.real)) return true;
  return false;
}

/** True if `path` is `folder` or below it. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

export async function followLink(
  path: string,
  place: LinkPlace,
  roots: readonly string[],
): Promise<FollowedLink | { readonly rule: FindingRule; readonly message: string }> {
  let target: string;
  let kind: FollowedLink['kind'];
  try {
    target = await realpath(path);
    const stats = await stat(target);
    kind = stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'special';
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ELOOP') return { rule: 'link-loop', message: 'the link leads to itself and is not served' };
    return { rule: 'link-broken', message: `the link leads nowhere (${code}) and is not served` };
  }
  if (kind === 'folder' && isAround(place, target))
    return { rule: 'link-loop', message: 'the link leads to a folder that it lies in and is not served' };

  const area = place.areas.find((folder) => isInside(folder, target));
  const unpublished = area === undefined ? undefined : unpublishedOnTheWay(area, target, kind === 'folder');
  if (area !== undefined && unpublished === undefined) return { target, kind };
  if (kind === 'folder' && (await isOtherSkillFolder(target, roots))) return { target, kind, opens: target };
  if (unpublished !== undefined) return { target, kind, unpublished };
  return { rule: 'link-leaves-root', message: 'the link leaves the served folder and is not followed' };
}

async function isOtherSkillFolder(target: string, roots: readonly string[]): Promise<boolean> {
  const installed = target.includes(`${sep}.agents${sep}skills${sep}`);
  if (!installed && !roots.some((root) => isInside(root, target))) return false;
  try {
    return (await stat(join(target, skillFileName))).isFile();
  } catch {
    // A target that cannot be read as a skill is reported as a link that leaves the root.
    return false;
  }
}

/** A link must not publish a target whose own name is never published. */
function unpublishedOnTheWay(area: string, target: string, isFolder: boolean): string | undefined {
  const names = relative(area, target).split(sep);
  for (const [index, name] of names.entries()) {
    const never = name === '' ? undefined : unpublishedName(name, isFolder || index < names.length - 1);
    if (never !== undefined) return never.reason;
  }
  return undefined;
}
