/** The result of a validation as one versioned object. A version only gains fields. */
import { definedFields } from '../../defined-fields.ts';
import { shownPath } from '../../node/shown-path.ts';
import { countFindings, type Finding } from '../../skill/finding.ts';
import type { DirectoryReport } from '../../sources/directory/directory-report.ts';
import { type PublishedFile, publishedFileCount, publishedFiles, publishedSkills } from './published-files.ts';

export interface ValidationJson {
  readonly version: 1;
  readonly skills: readonly ValidatedSkillJson[];
  readonly findings: readonly Finding[];
  readonly counts: {
    readonly skills: number;
    readonly files: number;
    /** Skills that are published only on request. Not part of the other numbers. */
    readonly inAgentFolders: number;
    readonly problems: number;
    readonly warnings: number;
    readonly notes: number;
  };
}

export interface ValidatedSkillJson {
  readonly uri: string;
  readonly name: string;
  readonly folder: string;
  readonly inAgentFolder?: true;
  readonly files?: readonly PublishedFile[];
  readonly notPublished?: readonly { readonly path: string; readonly reason: string }[];
}

export function findingsJson(report: DirectoryReport, cwd: string, withFiles: boolean): ValidationJson {
  const published = publishedSkills(report);
  return {
    version: 1,
    skills: report.skills.map((reported) => ({
      uri: reported.skill.entry.uri,
      name: reported.skill.entry.frontmatter.name,
      folder: shownPath(cwd, reported.folder),
      ...definedFields({ inAgentFolder: reported.skill.inAgentFolder }),
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
      skills: published.length,
      files: publishedFileCount(published),
      inAgentFolders: report.skills.length - published.length,
      ...countFindings(report.findings),
    },
  };
}
