/** Findings about signature files of skills: stale or unusable ones. They need no trust, so they say nothing about the signer. */
import { readFile, stat } from 'node:fs/promises';
import { limits } from '../limits.ts';
import { type Coverage, isBelow } from '../signing/coverage.ts';
import { inspectSignature } from '../signing/inspect-signature.ts';
import { signatureUri } from '../signing/signature-book.ts';
import { coverageText, pathsText } from '../signing/verdict-text.ts';
import type { SignedSkill } from '../signing/verify-signature.ts';
import { contentFiles, signatureFileName } from '../skill/content-digest.ts';
import type { SkillEntry } from '../skill/entry.ts';
import { type Finding, type FindingPlace, finding } from '../skill/finding.ts';
import type { ReportedSkill } from '../sources/directory/directory-report.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { readSignature, unreadable } from './listed-signatures.ts';

export async function reportedSignatures(skills: readonly ReportedSkill[]): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const reported of skills) {
    const skill = await reportedSkill(reported);
    const file = reported.files.find(({ path }) => path === signatureFileName)?.file;
    findings.push(...faultOf(skill, { file, skill: reported.skill.entry.uri }));
  }
  return findings;
}

/** A skill of a folder: readers do not see what is not published. */
export interface FolderSkill extends SignedSkill {
  /** Paths of files and folders. */
  readonly unpublished: readonly string[];
}

/** The published files and the signature of a folder. */
export async function reportedSkill({ files, notPublished }: ReportedSkill): Promise<FolderSkill> {
  const file = files.find(({ path }) => path === signatureFileName);
  return {
    files: new Map(files.map(({ path, digest }) => [path, digest])),
    unpublished: notPublished.map(({ path }) => path),
    ...(file === undefined ? {} : { signature: await bounded(file.file) }),
  };
}

export async function publishedSignatures(source: SkillSource, signal: AbortSignal): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for await (const { skills } of source.list({ signal }))
    for (const { entry } of skills) findings.push(...(await publishedFault(source, entry, signal)));
  return findings;
}

/** Reads one file at most. */
async function publishedFault(
  source: SkillSource,
  entry: SkillEntry,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const [files, uri] = [contentFiles(entry), signatureUri(entry)];
  if (files === undefined || uri === undefined) return [];
  const place = { skill: entry.uri };
  try {
    return faultOf({ files, signature: await readSignature(entry, uri, source, signal) }, place);
  } catch (error) {
    signal.throwIfAborted();
    return [finding('signature-unusable', `the signature cannot be used: ${unreadable(error).reason}`, place)];
  }
}

function faultOf(skill: SignedSkill & Partial<FolderSkill>, place: FindingPlace): readonly Finding[] {
  const inspection = inspectSignature(skill);
  if (inspection === undefined) return [];
  if (!('coverage' in inspection))
    return [finding('signature-unusable', `the signature cannot be used: ${inspection.reason}`, place)];
  const { coverage, state } = inspection;
  if (state !== 'signed') {
    const text = differencesText(coverage, skill.unpublished ?? []);
    return [finding('signature-stale', `the signature does not match the files: ${text}`, place)];
  }
  // Only a folder can be signed again.
  if (skill.unpublished === undefined || coverage.unpublished.length === 0) return [];
  return [finding('signature-unpublished', pathsText('signed, but not published', coverage.unpublished), place)];
}

/** A signed file may exist and be left out by a rule, so "missing" would mislead its author. */
function differencesText(coverage: Coverage, unpublished: readonly string[]): string {
  const isLeftOut = (path: string): boolean => unpublished.some((below) => isBelow(path, below));
  const missing = coverage.missing.filter((path) => !isLeftOut(path));
  const leftOut = coverage.missing.filter(isLeftOut);
  const texts = [coverageText({ ...coverage, missing }), pathsText('signed, but not published', leftOut)];
  return texts.filter((text) => text !== '').join('; ');
}

/** A file above the limit is refused by its size, so its first bytes are enough. */
async function bounded(file: string): Promise<Uint8Array> {
  const { size } = await stat(file);
  return size > limits.signing.bundleBytes ? new Uint8Array(limits.signing.bundleBytes + 1) : readFile(file);
}
