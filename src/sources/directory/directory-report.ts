/**
 * The report of `skillwire validate` on a folder: exactly what would be published, what is not published and why, and
 * every finding.
 */
import { relative, sep } from 'node:path';
import type { Finding } from '../../skill/finding.ts';
import type { SourceSkill } from '../skill-source.ts';
import type { PublishedSkill } from './folder-node.ts';

export interface ReportedFile {
  readonly path: string;
  /** On disk. */
  readonly file: string;
  readonly size: number;
  readonly digest: string;
  readonly executable: boolean;
}

export interface ReportedSkill {
  readonly skill: SourceSkill;
  readonly folder: string;
  readonly files: readonly ReportedFile[];
  readonly notPublished: readonly { readonly path: string; readonly reason: string }[];
}

/** The published and unpublished files of a folder, and every finding. */
export interface DirectoryReport {
  readonly skills: readonly ReportedSkill[];
  readonly findings: readonly Finding[];
}

export function toReport({ skill, assembled }: PublishedSkill): ReportedSkill {
  const { folder, files, unpublished } = assembled;
  return {
    skill,
    folder: folder.path.shown,
    files: files
      .map(({ path, node, facts }) => ({
        path,
        file: node.shown,
        size: facts.size,
        digest: facts.digest,
        executable: facts.executable,
      }))
      .sort((a, b) => (a.path < b.path ? -1 : 1)),
    notPublished: unpublished.map(({ file, reason }) => ({
      path: relative(folder.path.shown, file).split(sep).join('/'),
      reason,
    })),
  };
}
