/** Reads every file of a skill and compares presence, size, digest and frontmatter with the entry. */
import { inParallel } from '../async/in-parallel.ts';
import type { DecodedSkill } from '../dialects/skills-extension/decode-entry.ts';
import { SkillwireError, VerificationError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Digester } from '../skill/digest.ts';
import { quoteText } from '../skill/display-text.ts';
import { compareFrontmatter } from '../skill/frontmatter-compare.ts';
import type { FailureList } from './failures.ts';
import type { Gate } from './gate.ts';
import { judge } from './judge.ts';
import type { ChannelFile, SkillChannel } from './skill-channel.ts';

export interface CheckFilesOptions {
  readonly channel: SkillChannel;
  readonly digest: Digester;
  readonly signal: AbortSignal;
  /** The number of files of one skill that are read in parallel. */
  readonly parallelFiles: number;
  /** Shared by all skills that are verified in parallel. */
  readonly gate: Gate;
}

interface ExpectedFile {
  readonly uri: string;
  /** Absent if the entry has no digest. */
  readonly digest?: string;
  readonly size?: number;
}

/** `doubts` receives the reasons why files could not be read at all. */
export async function checkFiles(
  skill: DecodedSkill,
  options: CheckFilesOptions,
  failures: FailureList,
  doubts: string[],
): Promise<void> {
  await inParallel(expectedFiles(skill), options.parallelFiles, async (expected) => {
    const free = await options.gate.take(Math.min(expected.size ?? limits.skill.bytes, limits.skill.bytes));
    try {
      await checkFile(skill, expected, options, failures, doubts);
    } finally {
      free();
    }
  });
}

function expectedFiles({ entry, partial }: DecodedSkill): readonly ExpectedFile[] {
  if (entry.resources !== 'dynamic') return entry.resources;
  return partial?.files ?? [{ uri: entry.uri }];
}

async function checkFile(
  skill: DecodedSkill,
  expected: ExpectedFile,
  options: CheckFilesOptions,
  failures: FailureList,
  doubts: string[],
): Promise<void> {
  const file = await readFile(expected, options, failures, doubts);
  if (file === undefined || !isAsPromised(file.bytes, expected, options.digest, failures)) return;
  if (expected.uri === skill.entry.uri) checkSkillMd(skill, file, options.channel.hasMediaTypes, failures);
}

async function readFile(
  { uri, size }: ExpectedFile,
  { channel, signal }: CheckFilesOptions,
  failures: FailureList,
  doubts: string[],
): Promise<ChannelFile | undefined> {
  try {
    const most = size === undefined ? limits.skill.bytes : size + limits.verifier.excessBytes;
    const file = await channel.read(uri, most, signal);
    if (file === undefined) failures.add({ requirement: 'S-22', message: 'the file is listed but not served', uri });
    return file;
  } catch (error) {
    if (isTooLarge(error)) failures.add({ ...tooLarge(size), uri });
    else if (error instanceof VerificationError)
      failures.add({ requirement: 'base:contents', message: error.message, uri });
    else {
      const isAnswer = error instanceof SkillwireError && error.code === 'BAD_ANSWER';
      const judged = judge(error, { requirement: isAnswer ? 'base:contents' : 'S-22' });
      if (judged.kind === 'unknown') doubts.push(`${quoteText(uri)}: ${judged.message}`);
      else
        failures.add({ requirement: judged.requirement, message: `the file cannot be read: ${judged.message}`, uri });
    }
    return undefined;
  }
}

function isTooLarge(error: unknown): boolean {
  if (error instanceof VerificationError) return error.reason === 'limit';
  return error instanceof SkillwireError && error.code === 'LIMIT_EXCEEDED';
}

function tooLarge(size: number | undefined): { readonly requirement: string; readonly message: string } {
  if (size === undefined)
    return { requirement: 'S-35', message: `the file has more bytes than the ${limits.skill.bytes} of a whole skill` };
  return { requirement: 'S-30', message: `${size} bytes are promised, far more arrive` };
}

function isAsPromised(
  bytes: Uint8Array,
  { uri, size, digest: promised }: ExpectedFile,
  digest: Digester,
  failures: FailureList,
): boolean {
  if (size !== undefined && bytes.byteLength !== size) {
    failures.add({ requirement: 'S-30', message: `${size} bytes are promised, ${bytes.byteLength} arrive`, uri });
    return false;
  }
  if (promised === undefined) return true;
  const found = digest(bytes);
  if (found === promised) return true;
  failures.add({ requirement: 'S-34', message: `the digest ${promised} is promised, the bytes have ${found}`, uri });
  return false;
}

const markdown = 'text/markdown';

function checkSkillMd({ entry }: DecodedSkill, file: ChannelFile, typed: boolean, failures: FailureList): void {
  const { uri } = entry;
  const type = file.mimeType?.split(';', 1)[0]?.trim().toLowerCase();
  if (typed && type !== markdown) {
    const found = type === undefined ? 'no type' : `the type ${quoteText(type)}`;
    failures.add({ requirement: 'S-16', message: `SKILL.md has ${found} instead of "${markdown}"`, uri });
  }
  const { matches, differences, remarks } = compareFrontmatter(entry.frontmatter, file.bytes);
  if (matches) {
    for (const remark of remarks) failures.add({ requirement: 'S-5', message: remark, uri });
    return;
  }
  const fields = differences.map(({ field }) => (field === '' ? 'all of it' : field)).join(', ');
  const what =
    fields === '' ? 'the frontmatter of the entry cannot be that of the file' : `other than in the file: ${fields}`;
  const why = remarks.length === 0 ? '' : ` (${remarks.join('; ')})`;
  failures.add({ requirement: 'S-23', message: `${what}${why}`, uri });
}
