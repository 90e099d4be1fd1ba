/** Exactly which files of which skills would be published, and which would not and why. */
import { shownPath } from '../../node/shown-path.ts';
import { displayText } from '../../skill/display-text.ts';
import { parseSkillUri, skillFileUri } from '../../skill/skill-uri.ts';
import type { DirectoryReport, ReportedSkill } from '../../sources/directory/directory-report.ts';
import type { Colors } from './color.ts';
import { shortDigest } from './values.ts';

export interface PublishedFile {
  readonly uri: string;
  readonly path: string;
  /** On disk. */
  readonly file: string;
  readonly size: number;
  readonly digest: string;
  readonly executable: boolean;
}

/** The files of a skill with their URIs, sorted by URI. */
export function publishedFiles({ skill, files }: ReportedSkill): PublishedFile[] {
  const skillPath = parseSkillUri(skill.entry.uri).segments.slice(0, -1).join('/');
  return files
    .map(({ path, file, size, digest, executable }) => {
      return { uri: skillFileUri(skillPath, path), path, file, size, digest, executable };
    })
    .sort((a, b) => (a.uri < b.uri ? -1 : 1));
}

/** The skills that `serve` and `build` publish with the same arguments. */
export function publishedSkills({ skills }: Pick<DirectoryReport, 'skills'>): readonly ReportedSkill[] {
  return skills.filter(({ skill }) => skill.inAgentFolder !== true);
}

/** How many files on disk are published. A file of a nested skill belongs to the outer skill too and counts once. */
export function publishedFileCount(skills: readonly ReportedSkill[]): number {
  return new Set(skills.flatMap(({ files }) => files.map(({ file }) => file))).size;
}

export function publishedFilesText(skills: readonly ReportedSkill[], cwd: string, colors: Colors): string {
  return skills.map((reported) => skillText(reported, cwd, colors)).join('\n');
}

function skillText(reported: ReportedSkill, cwd: string, colors: Colors): string {
  const files = publishedFiles(reported);
  const width = Math.max(...files.map(({ uri }) => uri.length), 0);
  const lines = [
    `${colors.bold(displayText(reported.skill.entry.frontmatter.name))}  ${displayText(shownPath(cwd, reported.folder))}`,
    ...files.map(({ uri, size, executable, digest }) => {
      const bytes = `${size} B`.padStart(11);
      return `  ${displayText(uri).padEnd(width)} ${bytes}  ${executable ? 'x' : '-'}  ${shortDigest(digest)}`;
    }),
    ...reported.notPublished.map(({ path, reason }) => `  not published: ${displayText(path)}  ${displayText(reason)}`),
  ];
  return `${lines.join('\n')}\n`;
}
