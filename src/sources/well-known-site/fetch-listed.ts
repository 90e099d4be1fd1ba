/**
 * The files of an entry of v0.1, or of the early v0.2 drafts: one request each, at the addresses that follow from the index. v0.1
 * promises nothing about them; the drafts have digests of files, of the whole skill, or both, and what is promised must hold.
 * Files that are listed and not there are told; without `SKILL.md` there is no skill.
 */
import type { BoundedCache } from '../../async/bounded-cache.ts';
import type { DecodedEarly } from '../../dialects/well-known/decode-index.ts';
import { earlySkillDigest } from '../../dialects/well-known/early-digest.ts';
import { VerificationError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { skillFileName } from '../../skill/entry.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { type FetchOptions, fetchContent, verifyDigest } from './fetch-artifact.ts';
import { quoteUrl } from './site-errors.ts';
import type { KeptAnswer } from './site-http.ts';
import { unusable } from './skill-of-files.ts';

export type ListedSkill = Omit<DecodedEarly, 'package'>;
export type ListedFile = ListedSkill['files'][number];

export interface ListedOptions extends FetchOptions {
  /** Answers by address, to be confirmed instead of fetched again. */
  readonly answers: BoundedCache<string, KeptAnswer>;
  /** Where the index came from; what comes from elsewhere without a digest is told. */
  readonly indexUrl: string;
  /** Ask for what was kept too. */
  readonly fresh: boolean;
}

export interface FetchedFiles {
  /** By path. */
  readonly files: ReadonlyMap<string, KeptAnswer>;
  readonly findings: readonly Finding[];
  /** Whether digests of the index prove every file, the `SKILL.md`, or nothing. */
  readonly proved: 'all' | 'skill-md' | 'nothing';
}

/** @throws VerificationError, SkillwireError */
export async function fetchListed(
  skill: ListedSkill,
  wanted: readonly ListedFile[],
  options: ListedOptions,
): Promise<FetchedFiles> {
  const files = new Map<string, KeptAnswer>();
  const findings: Finding[] = [];
  let bytes = 0;
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let file = wanted[next++]; file !== undefined; file = wanted[next++]) {
      const answer = await fetchFile(skill, file, options);
      if (answer === undefined) {
        const message = `the index lists ${quoteText(file.path)} of the skill ${quoteText(skill.name)}, but ${quoteUrl(file.url)} is not there`;
        findings.push(finding('site-file-missing', message));
        continue;
      }
      bytes += answer.bytes.byteLength;
      if (bytes > limits.skill.bytes)
        throw unusable(skill.name, `its files have more than ${limits.skill.bytes} bytes`, 'S-35');
      files.set(file.path, answer);
      const elsewhere = new URL(answer.url).origin !== new URL(options.indexUrl).origin;
      if (elsewhere && file.digest === undefined)
        findings.push(
          finding(
            'site-elsewhere',
            `${quoteUrl(file.url)} redirects to ${quoteUrl(answer.url)}, which is another origin`,
          ),
        );
    }
  };
  await Promise.all(Array.from({ length: Math.min(limits.outbound.perOrigin, wanted.length) }, worker));
  return { files, findings, proved: await provedBy(skill, files, options) };
}

/** Undefined where it is not there and nothing was promised about it. */
export async function fetchFile(
  { name }: Pick<ListedSkill, 'name'>,
  { path, url, digest }: ListedFile,
  options: ListedOptions,
): Promise<KeptAnswer | undefined> {
  const kept = options.answers.get(url);
  try {
    const what = `${quoteText(path)} of the skill ${quoteText(name)} at ${quoteUrl(url)}`;
    const answer =
      kept !== undefined && !options.fresh && kept.freshUntil > performance.now()
        ? kept
        : await fetchContent(url, what, limits.skill.bytes, options, 'wk01:files-served', kept);
    if (digest !== undefined) await verifyDigest(answer, digest, { name, path, url, digest: options.digest });
    options.answers.put(url, answer, answer.bytes.byteLength);
    return answer;
  } catch (error) {
    const optional = digest === undefined && path !== skillFileName;
    if (optional && error instanceof VerificationError && error.reason === 'missing') return undefined;
    throw error;
  }
}

async function provedBy(
  { name, digest, files: listed }: ListedSkill,
  files: ReadonlyMap<string, KeptAnswer>,
  options: ListedOptions,
): Promise<FetchedFiles['proved']> {
  const skillMd = listed.find(({ path }) => path === skillFileName);
  const alone = skillMd?.digest === undefined ? 'nothing' : 'skill-md';
  if (files.size < listed.length) return alone;
  if (digest === undefined) return listed.every((file) => file.digest !== undefined) ? 'all' : alone;
  const actual: { path: string; digest: string }[] = [];
  for (const [path, { bytes }] of files) actual.push({ path, digest: await options.digest(bytes) });
  const found = await earlySkillDigest(actual);
  if (found === digest) return 'all';
  throw new VerificationError(
    'digest',
    `cannot use the skill ${quoteText(name)} of ${quoteUrl(options.indexUrl)}: the index promises the digest "${digest}" for all its files together, they have "${found}"`,
    { data: { name, expectedDigest: digest, actualDigest: found, requirement: 'W-9' } },
  );
}
