/** Findings about signature files of skills: stale or unusable ones. They need no trust, so they say nothing about the signer. */
import { readFile, stat } from 'node:fs/promises';
import { limits } from '../limits.ts';
import { inspectSignature } from '../signing/inspect-signature.ts';
import { coverageText } from '../signing/verdict-text.ts';
import type { SignedSkill } from '../signing/verify-signature.ts';
import { contentFiles, signatureFileName } from '../skill/content-digest.ts';
import { skillFileName } from '../skill/entry.ts';
import { type Finding, type FindingPlace, finding } from '../skill/finding.ts';
import type { ReportedSkill } from '../sources/directory/directory-report.ts';
import type { SkillSource } from '../sources/skill-source.ts';

export async function reportedSignatures(skills: readonly ReportedSkill[]): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const reported of skills) {
    const skill = await reportedSkill(reported);
    const file = reported.files.find(({ path }) => path === signatureFileName)?.file;
    findings.push(...faultOf(skill, { file, skill: reported.skill.entry.uri }));
  }
  return findings;
}

/** The published files and the signature of a folder. */
export async function reportedSkill({ files, notPublished }: ReportedSkill): Promise<SignedSkill> {
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
    for (const { entry } of skills) {
      const skill = await servedSkill(source, entry, signal);
      if (skill !== undefined) findings.push(...faultOf(skill, { skill: entry.uri }));
    }
  return findings;
}

/** The files of an entry and the bytes of its signature; `undefined` for a dynamic skill. Reads one file at most. */
export async function servedSkill(
  source: SkillSource,
  entry: Parameters<typeof contentFiles>[0],
  signal: AbortSignal,
): Promise<SignedSkill | undefined> {
  const files = contentFiles(entry);
  if (files?.has(signatureFileName) !== true) return files === undefined ? undefined : { files };
  const uri = `${entry.uri.slice(0, -skillFileName.length)}${signatureFileName}`;
  const file = await source.open(uri, { signal, maxBytes: limits.signing.bundleBytes });
  return { files, signature: file?.bytes ?? new Uint8Array() };
}

function faultOf(skill: SignedSkill, place: FindingPlace): readonly Finding[] {
  const inspection = inspectSignature(skill);
  if (inspection === undefined || inspection.state === 'signed') return [];
  if ('coverage' in inspection)
    return [
      finding('signature-stale', `the signature does not match the files: ${coverageText(inspection.coverage)}`, place),
    ];
  return [finding('signature-unusable', `the signature cannot be used: ${inspection.reason}`, place)];
}

/** A file above the limit is refused by its size, so its first bytes are enough. */
async function bounded(file: string): Promise<Uint8Array> {
  const { size } = await stat(file);
  return size > limits.signing.bundleBytes ? new Uint8Array(limits.signing.bundleBytes + 1) : readFile(file);
}
