/**
 * Builds a skill from the files of one index entry. Its URI begins with the name in the index, which is unique there.
 * If `SKILL.md` has another name, that name follows, so that the last segment is the skill's name, as everywhere else.
 * No file is omitted and no byte is changed.
 */

import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { AsyncDigester } from '../../skill/digest.ts';
import { quoteText } from '../../skill/display-text.ts';
import { executableMetaKey, type Frontmatter, type SkillResource, skillFileName } from '../../skill/entry.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { readFrontmatter } from '../../skill/frontmatter.ts';
import { mediaTypeFromBytes, mediaTypeOf } from '../../skill/media-type.ts';
import { skillFileUri } from '../../skill/skill-uri.ts';
import type { SourceFile, SourceSkill } from '../skill-source.ts';

export interface SkillFile {
  /** Relative to the skill's folder. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable?: boolean;
}

/** The skill's row in the index. */
export interface SiteIndexRow {
  readonly name: string;
  readonly description: string;
}

export interface SiteSkillHead {
  readonly frontmatter: Frontmatter;
  /** Decoded, without `SKILL.md`. */
  readonly path: string;
  readonly uri: string;
  readonly findings: readonly Finding[];
}

export interface SkillOfFiles {
  readonly skill: SourceSkill;
  /** By URI. */
  readonly files: ReadonlyMap<string, Required<Pick<SourceFile, 'bytes' | 'digest'>>>;
  readonly findings: readonly Finding[];
}

/** Reads `SKILL.md`. @throws SkillwireError BAD_ANSWER if its frontmatter is unusable */
export function skillHead({ name, description }: SiteIndexRow, skillMd: Uint8Array): SiteSkillHead {
  const reading = readFrontmatter(skillMd);
  if (!reading.ok) {
    const [first] = reading.findings.filter(({ level }) => level === 'problem');
    const fault = first?.message ?? `its ${skillFileName} cannot be read`;
    throw unusable(name, fault, 'S-7');
  }
  const { frontmatter } = reading;
  const path = frontmatter.name === name ? name : `${name}/${frontmatter.name}`;
  const uri = skillFileUri(path, skillFileName);
  const findings: Finding[] = [];
  if (frontmatter.name !== name) {
    const message = `the skill is named ${quoteText(name)} in the index, but ${quoteText(frontmatter.name)} in its SKILL.md`;
    findings.push(finding('site-name-differs', message, { skill: uri }));
  }
  if (frontmatter.description !== description) {
    const message = `the description of ${quoteText(name)} in the index differs from its SKILL.md`;
    findings.push(finding('site-index-unusual', message, { skill: uri }));
  }
  return { frontmatter, path, uri, findings };
}

/** All files of a skill. @throws SkillwireError BAD_ANSWER, LIMIT_EXCEEDED */
export async function skillOfFiles(
  indexed: SiteIndexRow,
  input: readonly SkillFile[],
  digest: AsyncDigester,
): Promise<SkillOfFiles> {
  const main = input.find(({ path }) => path === skillFileName);
  if (main === undefined) throw unusable(indexed.name, `it has no ${skillFileName} at its root`, 'W-12');
  refuseTooLarge(indexed.name, input);
  const { frontmatter, path, uri, findings } = skillHead(indexed, main.bytes);
  const resources: SkillResource[] = [];
  const executable: string[] = [];
  const mediaTypes: Record<string, string> = {};
  const files = new Map<string, Required<Pick<SourceFile, 'bytes' | 'digest'>>>();
  for (const file of input) {
    const fileUri = skillFileUri(path, file.path);
    const hash = await digest(file.bytes);
    resources.push({ uri: fileUri, digest: hash, size: file.bytes.byteLength });
    files.set(fileUri, { bytes: file.bytes, digest: hash });
    if (file.executable === true) executable.push(fileUri);
    if (mediaTypeOf(file.path) === undefined) mediaTypes[fileUri] = mediaTypeFromBytes(file.path, file.bytes);
  }
  if (files.size !== input.length) throw unusable(indexed.name, 'two of its files have the same name', 'W-12');
  resources.sort((a, b) => (a.uri < b.uri ? -1 : 1));
  const entry =
    executable.length === 0
      ? { uri, frontmatter, resources }
      : { uri, frontmatter, resources, _meta: { [executableMetaKey]: executable.sort() } };
  return { skill: { entry, listed: true, mediaTypes }, files, findings };
}

function refuseTooLarge(name: string, input: readonly SkillFile[]): void {
  const bytes = input.reduce((total, file) => total + file.bytes.byteLength, 0);
  const { files: mostFiles, bytes: mostBytes } = limits.skill;
  if (input.length <= mostFiles && bytes <= mostBytes) return;
  const fault =
    input.length > mostFiles
      ? `it has ${input.length} files, more than ${mostFiles}`
      : `it has ${bytes} bytes, more than ${mostBytes}`;
  throw new SkillwireError('LIMIT_EXCEEDED', `Cannot use the skill ${quoteText(name)}: ${fault}.`, {
    data: { name, files: input.length, bytes, requirement: 'S-35' },
  });
}

export function unusable(name: string, fault: string, requirement: string): SkillwireError {
  return new SkillwireError('BAD_ANSWER', `Cannot use the skill ${quoteText(name)}: ${fault}.`, {
    data: { name, requirement },
  });
}
