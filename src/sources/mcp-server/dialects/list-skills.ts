/**
 * Lists the skills of an older dialect as pages of the port. Each skill is loaded as far as its entry needs; an
 * unusable one is refused alone, with its reason. The listing ends if the server is gone, requires credentials, or
 * repeatedly does not answer; earlier pages stay valid.
 */
import { inParallel } from '../../../async/in-parallel.ts';
import type { DialectSkill } from '../../../dialects/dialect-skill.ts';
import type { DialectVerdict } from '../../../dialects/recognize.ts';
import type { Remark } from '../../../dialects/skills-extension/remark.ts';
import { SkillwireError } from '../../../errors.ts';
import { limits } from '../../../limits.ts';
import { quoteText } from '../../../skill/display-text.ts';
import type { RefusedEntry, SourceSkill } from '../../skill-source.ts';
import type { TimedPage } from '../listing.ts';
import { createFindings, type OriginFindings } from '../origin-findings.ts';
import { RpcError } from '../wire.ts';
import type { AnsweredSkills } from './answered-skills.ts';
import type { LoadedDialectSkill } from './loaded-skill.ts';

export interface DialectListing {
  readonly answered: AnsweredSkills;
  /** Why this dialect is used. */
  readonly verdict: DialectVerdict;
  /** Earlier remarks about the server. */
  readonly remarks: readonly Remark[];
  /** Why the list of skills is incomplete. */
  readonly cut: string | undefined;
  readonly load: (uri: string, skill: DialectSkill) => Promise<LoadedDialectSkill>;
  readonly timed: (skill: SourceSkill) => SourceSkill;
  /** Bytes read so far. */
  readonly read: () => number;
}

type Outcome = { readonly loaded: LoadedDialectSkill } | { readonly refused: RefusedEntry; readonly silent: boolean };

/** Emits each page; true if the listing is complete. */
export async function listDialectSkills(
  { answered, verdict, remarks, cut, load, timed, read }: DialectListing,
  give: (page: TimedPage) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const findings = createFindings();
  const { dialect } = answered;
  const freshUntil = performance.now() + limits.dialects.cachedMs;
  const emit = (skills: readonly SourceSkill[], refused: readonly RefusedEntry[], until = freshUntil): void => {
    for (const entry of refused) findings.refused(entry);
    give({ page: { skills, findings: findings.take(), refused, dialect }, freshUntil: until });
  };
  findings.older(`its skills are read as ${quoteText(dialect)}: ${verdict.reason}`);
  for (const remark of [...remarks, ...answered.remarks]) findings.remark(remark);
  const refusedRows = answered.refused.map((entry) => ({
    ...entry,
    faults: entry.faults.map(({ message }) => message),
  }));
  if (refusedRows.length > 0 || answered.skills.size === 0) emit([], refusedRows.slice(0, limits.origin.refused));

  const rows = [...answered.skills];
  let reason = cut;
  let silences = 0;
  for (let at = 0; at < rows.length; at += limits.dialects.pageSkills) {
    signal.throwIfAborted();
    const outcomes = await inParallel(
      rows.slice(at, at + limits.dialects.pageSkills),
      limits.dialects.parallelLoads,
      ([uri, skill]) => outcomeOf(uri, skill, load, findings),
    );
    emit(
      outcomes.flatMap((outcome) => ('loaded' in outcome ? [timed(outcome.loaded.skill)] : [])),
      outcomes.flatMap((outcome) => ('refused' in outcome ? [outcome.refused] : [])),
    );
    for (const outcome of outcomes) silences = 'refused' in outcome && outcome.silent ? silences + 1 : 0;
    if (silences >= limits.dialects.silences) reason ??= `the server did not answer for ${silences} skills in a row`;
    if (read() > limits.dialects.listingBytes)
      reason ??= `its skills have more than ${limits.dialects.listingBytes} bytes`;
    if (reason !== undefined && reason !== cut) break;
  }
  if (reason === undefined) return true;
  findings.cut(reason);
  emit([], [], 0);
  return false;
}

async function outcomeOf(
  uri: string,
  skill: DialectSkill,
  load: DialectListing['load'],
  findings: OriginFindings,
): Promise<Outcome> {
  try {
    const loaded = await load(uri, skill);
    for (const remark of loaded.remarks) findings.remark(remark);
    return { loaded };
  } catch (error) {
    return {
      refused: { uri, name: skill.name, ...refusal(error) },
      silent: error instanceof SkillwireError && error.code === 'TIMED_OUT',
    };
  }
}

const fatal = new Set(['NOT_AUTHORIZED', 'UNREACHABLE', 'INTERRUPTED', 'CLOSED']);

/** Why one skill is unusable. Rethrows errors that concern all of them. */
function refusal(error: unknown): Pick<RefusedEntry, 'faults' | 'code'> {
  if (error instanceof RpcError)
    return { faults: [`it cannot be read: the server returned error ${error.code}`], code: 'ORIGIN_FAILED' };
  if (!(error instanceof SkillwireError) || fatal.has(error.code)) throw error;
  return { faults: [error.message], code: error.code };
}
