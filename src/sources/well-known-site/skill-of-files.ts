/**
 * A skill from the files that a site gave for one entry of its index. Its URI begins with the name in the index, which is unique
 * there and says where the skill came from; where `SKILL.md` has another name, that one follows, so that the last segment
 * is the name of the skill as everywhere else. No file is left out and no byte is changed.
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { executableMetaKey, type Frontmatter, type SkillResource, skillFileName } from '../../skill/entry.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { readFrontmatter } from '../../skill/frontmatter.ts';
import { mediaTypeFromBytes, mediaTypeOf } from '../../skill/media-type.ts';
import { skillFileUri } from '../../skill/skill-uri.ts';
import type { SourceFile, SourceSkill } from '../skill-source.ts';

export interface GivenFile {
  /** Below the folder of the skill. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable?: boolean;
}

/** What the index says about the skill. */
export interface IndexedSkill {
  readonly name: string;
  readonly description: string;
}

export type Digest = (bytes: Uint8Array) => string | Promise<string>;

export interface SkillHead {
  readonly frontmatter: Frontmatter;
  /** Decoded, without the file. */
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

/** Reads `SKILL.md`. @throws SkillwireError BAD_ANSWER where it has no frontmatter that a host could use */
export function skillHead({ name, description }: IndexedSkill, skillMd: Uint8Array): SkillHead {
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
    const message = `the index calls the skill ${quoteText(name)}, its SKILL.md ${quoteText(frontmatter.name)}`;
    findings.push(finding('site-name-differs', message, { skill: uri }));
  }
  if (frontmatter.description !== description) {
    const message = `the index describes the skill ${quoteText(name)} otherwise than its SKILL.md does`;
    findings.push(finding('site-index-unusual', message, { skill: uri }));
  }
  return { frontmatter, path, uri, findings };
}

/** All files of a skill. @throws SkillwireError BAD_ANSWER, LIMIT_EXCEEDED */
export async function skillOfFiles(
  indexed: IndexedSkill,
  given: readonly GivenFile[],
  digest: Digest,
): Promise<SkillOfFiles> {
  const main = given.find(({ path }) => path === skillFileName);
  if (main === undefined) throw unusable(indexed.name, `it has no ${skillFileName} at its root`, 'W-12');
  refuseTooLarge(indexed.name, given);
  const { frontmatter, path, uri, findings } = skillHead(indexed, main.bytes);
  const resources: SkillResource[] = [];
  const executable: string[] = [];
  const mediaTypes: Record<string, string> = {};
  const files = new Map<string, Required<Pick<SourceFile, 'bytes' | 'digest'>>>();
  for (const file of given) {
    const own = skillFileUri(path, file.path);
    const hash = await digest(file.bytes);
    resources.push({ uri: own, digest: hash, size: file.bytes.byteLength });
    files.set(own, { bytes: file.bytes, digest: hash });
    if (file.executable === true) executable.push(own);
    if (mediaTypeOf(file.path) === undefined) mediaTypes[own] = mediaTypeFromBytes(file.path, file.bytes);
  }
  if (files.size !== given.length) throw unusable(indexed.name, 'two of its files have one name', 'W-12');
  resources.sort((a, b) => (a.uri < b.uri ? -1 : 1));
  const entry =
    executable.length === 0
      ? { uri, frontmatter, resources }
      : { uri, frontmatter, resources, _meta: { [executableMetaKey]: executable.sort() } };
  return { skill: { entry, listed: true, mediaTypes }, files, findings };
}

function refuseTooLarge(name: string, given: readonly GivenFile[]): void {
  const bytes = given.reduce((total, file) => total + file.bytes.byteLength, 0);
  const { files: mostFiles, bytes: mostBytes } = limits.skill;
  if (given.length <= mostFiles && bytes <= mostBytes) return;
  const fault =
    given.length > mostFiles
      ? `it has ${given.length} files; at most ${mostFiles} are allowed`
      : `it has ${bytes} bytes; at most ${mostBytes} are allowed`;
  throw new SkillwireError('LIMIT_EXCEEDED', `cannot use the skill ${quoteText(name)}: ${fault}`, {
    data: { name, files: given.length, bytes, requirement: 'S-35' },
  });
}

export function unusable(name: string, fault: string, requirement: string): SkillwireError {
  return new SkillwireError('BAD_ANSWER', `cannot use the skill ${quoteText(name)}: ${fault}`, {
    data: { name, requirement },
  });
}
