/**
 * Verifies one skill through a channel: `skills/get` against the listing, every file against the entry, then the
 * frontmatter of `SKILL.md` field by field. Each mismatch is a failure of a requirement. If a skill changes during the
 * read, its new entry is verified; if its files never match its entry, the skill fails.
 */
import type { DecodedSkill, RefusedSkill } from '../dialects/skills-extension/decode-entry.ts';
import type { Remark } from '../dialects/skills-extension/remark.ts';
import { limits } from '../limits.ts';
import { sameJson } from '../skill/json.ts';
import { type CheckFilesOptions, checkFiles } from './check-files.ts';
import { createFailureList, type FailureList } from './failures.ts';
import { isInterruption, judge } from './judge.ts';
import type { Failure, SkillReport } from './report.ts';
import { requirementRow } from './requirements.ts';
import type { ChannelEntry } from './skill-channel.ts';

export interface VerifySkillOptions extends CheckFilesOptions {
  /** Remarks about the entry from the listing. */
  readonly remarks?: readonly Remark[];
  /** Receives remarks about answers in general, which do not concern one skill. */
  readonly onAnswer?: (remarks: readonly Remark[]) => void;
}

export interface CheckedSkill {
  readonly report: SkillReport;
  /** All failures of each requirement, including those that the report only counts. */
  readonly counts: ReadonlyMap<string, number>;
  /** The entry that was finally compared with the bytes. It differs from the listed one if the skill has changed. */
  readonly skill: DecodedSkill;
}

export async function verifySkill(listed: DecodedSkill, options: VerifySkillOptions): Promise<CheckedSkill> {
  let skill = listed;
  for (let version = 1; ; version++) {
    const failures = createFailureList();
    const doubts: string[] = [];
    failures.addRemarks(options.remarks ?? [], skill.entry.uri);
    if (options.channel.hasGet) await compareWithGet(skill, options, failures, doubts);
    await checkFiles(skill, options, failures, doubts);
    const now = bytesFailed(failures) ? await otherEntry(skill, options) : undefined;
    if (now === undefined) return { report: reportOf(skill, failures, doubts), counts: failures.counts, skill };
    skill = now;
    if (version < limits.verifier.versions) continue;
    const unstable = createFailureList();
    const message = `the files were others than the entry says, for ${version} entries one after the other; such content is "dynamic"`;
    unstable.add({ requirement: 'S-32', message, uri: skill.entry.uri });
    return { report: reportOf(skill, unstable, []), counts: unstable.counts, skill };
  }
}

function bytesFailed({ counts }: FailureList): boolean {
  return ['S-22', 'S-23', 'S-30', 'S-34'].some((id) => counts.has(id));
}

/** The current entry, if it promises other files. */
async function otherEntry(
  { entry, partial }: DecodedSkill,
  { channel, signal }: VerifySkillOptions,
): Promise<DecodedSkill | undefined> {
  try {
    const now = (await channel.get(entry.uri, signal))?.skill;
    if (now === undefined) return undefined;
    return sameJson(now.entry.resources, entry.resources) && sameJson(now.partial, partial) ? undefined : now;
  } catch (error) {
    if (isInterruption(error)) throw error;
    // The failure of skills/get has already been reported, and there is no other entry to compare with.
    return undefined;
  }
}

async function compareWithGet(
  listed: DecodedSkill,
  { channel, signal, onAnswer }: VerifySkillOptions,
  failures: FailureList,
  doubts: string[],
): Promise<void> {
  const { uri } = listed.entry;
  let answer: ChannelEntry | undefined;
  try {
    answer = await channel.get(uri, signal);
  } catch (error) {
    const { kind, message, ...judged } = judge(error, { requirement: 'S-45', unknownMethod: 'S-1' });
    if (kind === 'unknown') doubts.push(message);
    else if ('requirement' in judged) {
      const { requirement } = judged;
      if (requirement === 'S-1' && onAnswer !== undefined)
        onAnswer([{ requirement, message: `skills/get: ${message}` }]);
      else failures.add({ requirement, message, uri });
    }
    return;
  }
  if (answer === undefined) {
    failures.add({ requirement: 'S-44', message: 'skills/get does not know a skill that skills/list lists', uri });
    return;
  }
  onAnswer?.(answer.remarks.filter(({ requirement }) => requirement === 'S-42' || requirement === 'S-46'));
  const { skill } = answer;
  const different = (['frontmatter', 'resources'] as const).filter(
    (field) => !sameJson(skill.entry[field], listed.entry[field]),
  );
  if (different.length === 0 && sameJson(skill.partial, listed.partial)) return;
  const fields = different.length === 0 ? 'resources' : different.join(' and ');
  failures.add({ requirement: 'S-45', message: `skills/get gives another ${fields} than skills/list`, uri });
}

function reportOf({ entry, partial }: DecodedSkill, failures: FailureList, doubts: readonly string[]): SkillReport {
  const { resources } = entry;
  const dynamic = resources === 'dynamic';
  const proved = !dynamic || partial?.reason === 'no-size';
  let bytes = 0;
  if (!dynamic) for (const { size } of resources) bytes += size;
  const status = failures.failed ? 'failed' : doubts.length > 0 ? 'unchecked' : proved ? 'verified' : 'unverifiable';
  const reason = reasonOf(doubts) ?? (status === 'unverifiable' ? whyUnverifiable(partial) : undefined);
  return {
    uri: entry.uri,
    name: entry.frontmatter.name,
    status,
    files: dynamic ? (partial?.files.length ?? 1) : resources.length,
    bytes,
    failures: failures.list,
    ...(failures.unreported === 0 ? {} : { moreFailures: failures.unreported }),
    reason,
  };
}

function reasonOf(doubts: readonly string[]): string | undefined {
  const [first] = doubts;
  if (first === undefined || doubts.length === 1) return first;
  return `${first} (and ${doubts.length - 1} more)`;
}

function whyUnverifiable(partial: DecodedSkill['partial']): string {
  if (partial === undefined) return 'its content is dynamic';
  const known = partial.files.filter(({ digest }) => digest !== undefined).length;
  return known === 0
    ? 'its files have no digests'
    : `${known} of its ${partial.files.length} known files have a digest`;
}

/** The report about an entry that no client can use. */
export function refusedReport({ uri, name, faults }: RefusedSkill): SkillReport {
  const shown = uri ?? '(no URI)';
  const failures: Failure[] = faults.map((fault) => ({ ...fault, uri: shown }));
  const tooLarge = faults.every(({ requirement }) => requirement === 'S-35');
  // Even if no single fault breaks a `must`, the entry as a whole cannot be read, which does.
  if (!tooLarge && !failures.some(({ requirement }) => requirementRow(requirement).level === 'must'))
    failures.push({
      requirement: 'S-22',
      message: 'the entry cannot be used, so its files cannot be read',
      uri: shown,
    });
  return {
    uri: shown,
    name: name ?? '(no name)',
    status: tooLarge ? 'unchecked' : 'failed',
    files: 0,
    bytes: 0,
    failures,
    ...(tooLarge ? { reason: 'it is larger than hosts must accept, and was not read' } : {}),
  };
}
