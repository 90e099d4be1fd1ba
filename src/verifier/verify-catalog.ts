/**
 * Verifies every skill that a channel lists, page by page. It stores only URIs, names and digests, so memory does not
 * grow with the size of the files. An error ends a page or a skill, but never the report: the report covers everything
 * seen so far and says why it is incomplete.
 */
import { inParallel } from '../async/in-parallel.ts';
import type { DecodedSkill } from '../dialects/skills-extension/decode-entry.ts';
import type { Remark } from '../dialects/skills-extension/remark.ts';
import type { ErrorCode } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Digester } from '../skill/digest.ts';
import { quoteText } from '../skill/display-text.ts';
import { createFailureList, type FailureList } from './failures.ts';
import { createGate } from './gate.ts';
import { isInterruption, judge } from './judge.ts';
import { createNestingCheck } from './nesting.ts';
import type { SkillReport, VerifyCounts } from './report.ts';
import { type Fingerprint, filesFingerprint, fingerprint } from './served-digests.ts';
import type { ChannelPage, SkillChannel } from './skill-channel.ts';
import { refusedReport, verifySkill } from './verify-skill.ts';

export interface VerifyCatalogOptions {
  readonly channel: SkillChannel;
  readonly digest: Digester;
  readonly signal: AbortSignal;
  /** Requests in flight. */
  readonly parallel: number;
  /** Called for every skill as soon as it is done. */
  readonly onSkill: (report: SkillReport) => void;
  /** True if a skill with this fingerprint was verified earlier; it is not read again. */
  readonly isVerified?: (uri: string, fingerprint: string) => boolean;
  /** Called for a skill without any failure, to record it. */
  readonly onVerified?: (uri: string, fingerprint: string) => Promise<void>;
}

export interface CatalogReport {
  readonly counts: VerifyCounts;
  readonly failures: FailureList;
  /** Failures of each requirement in skills. */
  readonly skillFailures: ReadonlyMap<string, number>;
  readonly incomplete: readonly string[];
  /** The fingerprint of each entry, for the comparison with another listing. */
  readonly fingerprints: ReadonlyMap<string, Fingerprint>;
}

export const interruptedReason = 'it was interrupted before the end';

/** Errors that say nothing about skills if they come before the first page. */
const unreachableCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'TIMED_OUT',
  'UNREACHABLE',
  'NOT_AUTHORIZED',
  'ADDRESS_BLOCKED',
  'ORIGIN_NOT_FOUND',
  'ORIGIN_NOT_A_FOLDER',
  'ORIGIN_UNREADABLE',
  'NO_INDEX',
  'NOT_AN_INDEX',
  'INDEX_UNSUPPORTED',
  'ORIGIN_MOVED',
]);

/** @throws SkillwireError if the origin cannot be reached at all */
export async function verifyCatalog(options: VerifyCatalogOptions): Promise<CatalogReport> {
  const { channel, digest, signal, parallel } = options;
  const failures = createFailureList();
  const skillFailures = new Map<string, number>();
  const counts = {
    skills: 0,
    verified: 0,
    failed: 0,
    unverifiable: 0,
    unchecked: 0,
    skipped: 0,
    refused: 0,
    files: 0,
    bytes: 0,
  };
  const incomplete: string[] = [];
  const fingerprints = new Map<string, Fingerprint>();
  const names = new Map<string, number>();
  const nesting = createNestingCheck((files) => filesFingerprint(files, digest));
  const gate = createGate(limits.verifier.bytesInFlight);
  /** Skills whose entry changed between listing and reading. */
  const changed = new Set<string>();
  let pages = 0;

  const record = (report: SkillReport, failed: ReadonlyMap<string, number>): void => {
    counts.skills++;
    counts[report.status]++;
    counts.files += report.files;
    counts.bytes += report.bytes;
    for (const [id, count] of failed) skillFailures.set(id, (skillFailures.get(id) ?? 0) + count);
    options.onSkill(report);
  };

  const verify = async (listed: DecodedSkill, print: string, remarks: readonly Remark[]): Promise<void> => {
    const { uri, frontmatter } = listed.entry;
    if (options.isVerified?.(uri, print) === true) {
      record({ uri, name: frontmatter.name, status: 'skipped', files: 0, bytes: 0, failures: [] }, new Map());
      return;
    }
    const parallelFiles = Math.min(limits.verifier.parallelFiles, parallel);
    const onAnswer = failures.addShared;
    const found = await verifySkill(listed, { channel, digest, signal, gate, parallelFiles, remarks, onAnswer });
    const { report, skill } = found;
    if (skill !== listed) changed.add(uri);
    if (report.status === 'verified' && report.failures.length === 0)
      await options.onVerified?.(uri, skill === listed ? print : fingerprint(skill, digest).all);
    record(report, found.counts);
  };

  const take = async (page: ChannelPage): Promise<void> => {
    failures.addShared(page.remarks.filter(({ uri }) => uri === undefined));
    const remarks = remarksBySkill(page.remarks);
    if (page.cut !== undefined) incomplete.push(page.cut);
    for (const refused of page.refused) {
      counts.refused++;
      const report = refusedReport(refused);
      record(report, countsOf(report));
    }
    const fresh: { readonly skill: DecodedSkill; readonly print: string }[] = [];
    for (const skill of page.skills) {
      const { uri, frontmatter } = skill.entry;
      const print = fingerprint(skill, digest);
      const earlier = fingerprints.get(uri);
      if (earlier !== undefined) {
        const message = 'the skill is listed more than once';
        if (earlier.all === print.all) failures.add({ requirement: 'S-26', message, uri });
        else failures.add({ requirement: 'S-45', message: `${message}, with different entries`, uri });
        continue;
      }
      fresh.push({ skill, print: print.all });
      fingerprints.set(uri, print);
      names.set(frontmatter.name, (names.get(frontmatter.name) ?? 0) + 1);
      nesting.add(skill.entry);
    }
    await inParallel(fresh, Math.max(1, Math.floor(parallel / 2)), ({ skill, print }) =>
      verify(skill, print, remarks.get(skill.entry.uri) ?? []),
    );
  };

  try {
    for await (const page of channel.pages(signal)) {
      pages++;
      await take(page);
    }
    if (changed.size > 0) await checkStaleListing(changed, fingerprints, options, failures);
  } catch (error) {
    if (isInterruption(error)) incomplete.push(interruptedReason);
    else {
      const judged = judge(error, { requirement: pages === 0 ? 'S-1' : 'S-36', unknownMethod: 'S-1' });
      if (judged.kind === 'unknown' && pages === 0 && unreachableCodes.has(judged.code)) throw error;
      if (judged.kind === 'broken') failures.add({ requirement: judged.requirement, message: judged.message });
      incomplete.push(`skills/list could not be read to its end: ${judged.message}`);
    }
  }
  for (const [name, count] of names) {
    if (count > 1)
      failures.add({ requirement: 'S-26', message: `${count} skills of the listing are named ${quoteText(name)}` });
  }
  nesting.finish(fingerprints.keys(), (uri) => fingerprints.get(uri)?.files, failures);
  if (counts.unchecked > 0) incomplete.push(`${skillsText(counts.unchecked)} could not be read completely`);
  return { counts, failures, skillFailures, incomplete, fingerprints };
}

function skillsText(count: number): string {
  return count === 1 ? '1 skill' : `${count} skills`;
}

function countsOf({ failures }: SkillReport): ReadonlyMap<string, number> {
  const list = createFailureList();
  for (const failure of failures) list.add(failure);
  return list.counts;
}

/** A skill may change between its listing and its reading. A listing that then still has the old entry is wrong. */
async function checkStaleListing(
  changed: ReadonlySet<string>,
  fingerprints: ReadonlyMap<string, Fingerprint>,
  { channel, signal, digest }: VerifyCatalogOptions,
  failures: FailureList,
): Promise<void> {
  for await (const { skills } of channel.pages(signal)) {
    for (const skill of skills) {
      const { uri } = skill.entry;
      if (!changed.has(uri) || fingerprints.get(uri)?.all !== fingerprint(skill, digest).all) continue;
      const message = 'skills/list gives an old entry: skills/get has another one, before and after';
      failures.add({ requirement: 'S-45', message, uri });
    }
  }
}

function remarksBySkill(remarks: readonly Remark[]): ReadonlyMap<string, readonly Remark[]> {
  const found = new Map<string, Remark[]>();
  for (const remark of remarks) {
    if (remark.uri === undefined) continue;
    const list = found.get(remark.uri);
    if (list === undefined) found.set(remark.uri, [remark]);
    else list.push(remark);
  }
  return found;
}
