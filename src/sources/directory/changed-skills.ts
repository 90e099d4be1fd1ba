/**
 * Finds the skills that differ between two trees of the same roots, without visiting shared nodes. Returns `undefined`
 * if more than the content of skills changed; then all skills must be examined. Examples: a folder was added, removed
 * or became a skill, or there is a new finding about folders.
 */
import { sameJson } from '../../skill/json.ts';
import type { AssembledSkill, FolderNode } from './folder-node.ts';

export interface PublishedRoot {
  readonly tree: FolderNode;
  readonly label?: string;
  readonly nested: boolean;
  /** Skills in agent folders are marked. */
  readonly marksAgentFolders?: boolean;
}

export interface ChangedFolder {
  readonly before: FolderNode;
  readonly after: FolderNode;
}

export function changedSkills(
  before: readonly PublishedRoot[],
  after: readonly PublishedRoot[],
): readonly ChangedFolder[] | undefined {
  if (before.length !== after.length) return undefined;
  const changed: ChangedFolder[] = [];
  for (const [index, was] of before.entries()) {
    const is = after[index];
    if (is === undefined || was.label !== is.label || was.nested !== is.nested) return undefined;
    if (!compare(was.tree, is.tree, is.nested, false, changed)) return undefined;
  }
  return changed;
}

function compare(
  before: FolderNode,
  after: FolderNode,
  nested: boolean,
  insideSkill: boolean,
  changed: ChangedFolder[],
): boolean {
  if (before === after) return true;
  const isSkill = after.skillFile !== undefined;
  const isEqual =
    before.path.real === after.path.real &&
    before.path.shown === after.path.shown &&
    before.name === after.name &&
    (before.skillFile !== undefined) === isSkill &&
    before.folders.length === after.folders.length &&
    sameJson(before.notes.findings, after.notes.findings);
  if (!isEqual) return false;
  if (isSkill && (nested || !insideSkill)) changed.push({ before, after });
  for (const [index, folder] of before.folders.entries()) {
    const child = after.folders[index];
    if (child === undefined || !compare(folder, child, nested, insideSkill || isSkill, changed)) return false;
  }
  return true;
}

/** True if two states of a skill are reported alike: same name, same line, same findings. */
export function isReportedAlike(was: AssembledSkill, is: AssembledSkill): boolean {
  return (
    was.frontmatter?.name === is.frontmatter?.name &&
    was.nameLine === is.nameLine &&
    sameJson(was.findings, is.findings) &&
    sameJson(was.unpublished, is.unpublished)
  );
}
