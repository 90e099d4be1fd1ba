/** The result of a validation as one versioned object. A version only gains fields. */
import { shownPath } from '../../node/shown-path.ts';
import { countFindings, type Finding } from '../../skill/finding.ts';
import type { DirectoryReport } from '../../sources/directory/directory-report.ts';
import { type PublishedFile, publishedFileCount, publishedFiles } from './published-files.ts';

export interface ValidationJson {
  readonly version: 1;
  readonly skills: readonly ValidatedSkillJson[];
  readonly findings: readonly Finding[];
  readonly counts: {
    readonly skills: number;
    readonly files: number;
    readonly problems: number;
    readonly warnings: number;
    readonly notes: number;
  };
}

export interface ValidatedSkillJson {
  readonly uri: string;
  readonly name: string;
  readonly folder: string;
  readonly files?: readonly PublishedFile[];
  readonly notPublished?: readonly { readonly path: string; readonly reason: string }[];
}

export function findingsJson(report: DirectoryReport, cwd: string, withFiles: boolean): ValidationJson {
  return {
    version: 1,
    skills: report.skills.map((reported) => ({
      uri: reported.skill.entry.uri,
      name: reported.skill.entry.frontmatter.name,
      folder: shownPath(cwd, reported.folder),
      ...(withFiles
        ? {
            files: publishedFiles(reported).map((file) => ({ ...file, file: shownPath(cwd, file.file) })),
            notPublished: reported.notPublished,
          }
        : {}),
    })),
    findings: report.findings.map((found) =>
      found.file === undefined ? found : { ...found, file: shownPath(cwd, found.file) },
    ),
    counts: {
      skills: report.skills.length,
      files: publishedFileCount(report.skills),
      ...countFindings(report.findings),
    },
  };
}
