/**
 * Approves many skills with one answer. The plan names exactly the versions, and its digest stands for all of them. Each skill is
 * verified on its own: one that fails does not stop the others, and every approval has its own record in the audit.
 */
import { type ExitCode, exitCodes, PolicyError, SkillwireError } from '../../errors.ts';
import type { Approval, Grants } from '../../host/approve/approvals.ts';
import { limits } from '../../limits.ts';
import { planDigest } from '../../serving/approval-plan.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import { type Cli, type GlobalOptions, isYes } from '../cli.ts';
import { type CommandSession, shownLabel } from '../open-host.ts';
import { startProgress } from '../progress.ts';
import { type OfferSummary, offerJson, offerSummary, planText } from '../render/approval-offer.ts';
import { colorsFor } from '../render/color.ts';
import { writeJson } from '../render/json-text.ts';
import { approvalJson } from '../render/reading-json.ts';
import { effectText, grantsText } from '../render/requests-text.ts';
import { counted } from '../render/values.ts';
import { approveOffer, isApproved, offerOf, otherVersion } from './decide-skill.ts';
import type { NamedVersion } from './plan-file.ts';

export interface ApprovePlanOptions extends GlobalOptions {
  readonly yes?: string;
  readonly reason?: string;
  readonly allowSignerChange?: boolean;
}

export interface WantedPlan {
  readonly skills: readonly NamedVersion[];
  readonly grants: Grants;
  /** `queue`: the current version of each skill is meant. `file`: only the named one. */
  readonly from: 'queue' | 'file';
  /** The command line that approves this plan, without `--yes`. */
  readonly command: string;
}

/** Why a skill of a plan cannot be approved. */
export interface FailedSkill {
  readonly skill: NamedVersion;
  readonly error: SkillwireError;
}

export async function approvePlan(
  session: CommandSession,
  wanted: WantedPlan,
  options: ApprovePlanOptions,
  cli: Cli,
): Promise<ExitCode> {
  const { grants } = wanted;
  const plan = wanted.from === 'file' ? wanted.skills : await currentVersions(session, wanted.skills, cli);
  if (plan.length === 0) return nothingWaits(options, cli);
  const digest = await planDigest(plan, grants);
  const command = `${wanted.command} --yes ${digest}`;
  if (options.yes !== digest) {
    const seen = await readPlan(session, plan, grants, cli);
    const shown = { digest, command, ...seen };
    if (options.json !== true) cli.stderr.write(shownPlan(shown, options, cli));
    if (options.yes !== undefined) throw otherPlan(options.yes, shown);
    if (options.json === true || cli.ask === undefined) return nobodyToAsk(shown, options, cli);
    if (seen.offers.length === 0) return worstOf(seen.failed, 0);
    const them = seen.offers.length === 1 ? 'it' : 'them';
    const question = `\nApprove ${counted(seen.offers.length, 'skill')}? ${effectText(grants, them)} [y/N] `;
    if (!isYes(await cli.ask(question, session.signal))) {
      cli.stderr.write('Not approved.\n');
      return exitCodes.refused;
    }
  }
  return approveAll(session, plan, digest, grants, options, cli);
}

/** The versions that the origins have now. If an origin does not answer, the version that is known to wait counts. */
async function currentVersions(
  { host, signal }: CommandSession,
  skills: readonly NamedVersion[],
  cli: Cli,
): Promise<readonly NamedVersion[]> {
  const progress = startProgress(cli, 'Reading entries');
  const found: NamedVersion[] = [...skills];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < skills.length; at = next++) {
      const skill = skills[at] as NamedVersion;
      try {
        const { setDigest = skill.setDigest } = await host.capture(skill, { signal });
        found[at] = { ...skill, setDigest };
      } catch (error) {
        if (!(error instanceof SkillwireError)) throw error;
        signal.throwIfAborted();
      }
      progress.say(`Read ${at + 1} of ${skills.length} entries`);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(limits.cli.parallelReads, skills.length) }, worker));
  } finally {
    progress.stop();
  }
  return found;
}

interface SeenPlan {
  readonly offers: readonly OfferSummary[];
  readonly failed: readonly FailedSkill[];
}

/** Verifies every skill. Their bytes are not kept, because a plan may have thousands of skills. */
async function readPlan(
  session: CommandSession,
  plan: readonly NamedVersion[],
  grants: Grants,
  cli: Cli,
): Promise<SeenPlan> {
  const offers: OfferSummary[] = [];
  const failed: FailedSkill[] = [];
  for (const skill of plan) {
    try {
      offers.push(offerSummary(await plannedOffer(session, skill, grants, cli)));
    } catch (error) {
      failed.push(failure(session, skill, error));
    }
  }
  return { offers, failed };
}

async function plannedOffer(session: CommandSession, skill: NamedVersion, grants: Grants, cli: Cli) {
  if (session.host.origins.get(skill.label) === undefined) throw unknownOrigin(skill);
  const offer = await offerOf(session, skill, grants, cli);
  if (offer.setDigest !== skill.setDigest) throw otherVersion(offer.captured, skill.setDigest, offer.setDigest);
  return offer;
}

/** @throws every error that is not about the skill */
function failure({ signal }: CommandSession, skill: NamedVersion, error: unknown): FailedSkill {
  signal.throwIfAborted();
  if (error instanceof SkillwireError && error.code !== 'INTERRUPTED') return { skill, error };
  throw error;
}

async function approveAll(
  session: CommandSession,
  plan: readonly NamedVersion[],
  digest: string,
  grants: Grants,
  options: ApprovePlanOptions,
  cli: Cli,
): Promise<ExitCode> {
  const approvals: Approval[] = [];
  const failed: FailedSkill[] = [];
  const isPlain = options.json !== true;
  try {
    for (const skill of plan) {
      try {
        const offer = await plannedOffer(session, skill, grants, cli);
        const before = isApproved(offer) ? offer.state.approval : undefined;
        const approval = before ?? (await approveOffer(session, offer, options.reason ?? '', cli, options));
        approvals.push(approval);
        const what = before === undefined ? 'approved' : 'already approved';
        if (isPlain) cli.stderr.write(`${what}: ${namedAt(skill, cli)} (${grantsText(grants)})\n`);
      } catch (error) {
        failed.push(failure(session, skill, error));
        if (isPlain) cli.stderr.write(failedText(failed.at(-1) as FailedSkill, cli));
      }
    }
  } catch (error) {
    if (isPlain)
      cli.stderr.write(`Approved ${approvals.length} of ${counted(plan.length, 'skill')} before this stopped.\n`);
    throw error;
  }
  if (isPlain) {
    const rest = failed.length === 0 ? '' : ` ${counted(failed.length, 'skill')} failed.`;
    cli.stderr.write(`Approved ${approvals.length} of ${counted(plan.length, 'skill')}.${rest}\n`);
  } else {
    const done = failed.length === 0;
    writeJson(cli, {
      version: 1,
      approved: done,
      planDigest: digest,
      approvals: approvals.map(approvalJson),
      failed: failed.map(failedJson),
      ...(await session.confirmation()),
    });
  }
  return worstOf(failed, approvals.length);
}

/** Some skills failed verification (7), some could not be approved (6), or none could for this reason. */
export function worstOf(failed: readonly FailedSkill[], approved: number): ExitCode {
  const [first] = failed;
  if (first === undefined) return exitCodes.ok;
  const isBroken = failed.some(({ error }) => error.exitCode === exitCodes.verificationFailed);
  if (isBroken) return exitCodes.verificationFailed;
  return approved > 0 ? exitCodes.partial : first.error.exitCode;
}

interface ShownPlan extends SeenPlan {
  readonly digest: string;
  readonly command: string;
}

function shownPlan({ offers, failed, digest }: ShownPlan, options: GlobalOptions, cli: Cli): string {
  const colors = colorsFor(cli.stderr, cli, options);
  const text = planText(offers, { colors, labelOf: (label) => shownLabel(label, cli.cwd) });
  return `${text}${failed.map((one) => failedText(one, cli)).join('')}\nplan ${digest}\n`;
}

function nobodyToAsk({ offers, failed, digest, command }: ShownPlan, options: GlobalOptions, cli: Cli): ExitCode {
  if (options.json === true)
    writeJson(cli, {
      version: 1,
      approved: false,
      planDigest: digest,
      command,
      needsApproval: offers.map(offerJson),
      failed: failed.map(failedJson),
    });
  else
    cli.stderr.write(
      `\nNot approved: this needs a terminal. To approve exactly this plan without one, run:\n  ${command}\n`,
    );
  return exitCodes.refused;
}

function nothingWaits({ json }: GlobalOptions, cli: Cli): ExitCode {
  if (json === true) writeJson(cli, { version: 1, approved: true, planDigest: null, approvals: [], failed: [] });
  else cli.stderr.write('Nothing is waiting for approval.\n');
  return exitCodes.ok;
}

function otherPlan(given: string, { digest, command, offers }: ShownPlan): PolicyError {
  return new PolicyError(
    'NOT_APPROVED',
    `Not approved: the plan is now ${digest}, not ${given}. Review it, then run:\n  ${command}`,
    { data: { planDigest: digest, given, command, needsApproval: offers.map(offerJson) } },
  );
}

function unknownOrigin({ label, uri }: NamedVersion): SkillwireError {
  return new SkillwireError(
    'ORIGIN_NOT_FOUND',
    `The configuration has no origin ${quoteText(label)}. Name the configuration with --config.`,
    { data: { origin: label, uri } },
  );
}

function namedAt({ name, label }: NamedVersion, { cwd }: Pick<Cli, 'cwd'>): string {
  return `${displayText(name)} of ${displayText(shownLabel(label, cwd))}`;
}

export function failedText({ skill, error }: FailedSkill, cli: Pick<Cli, 'cwd'>): string {
  return `failed: ${namedAt(skill, cli)}: ${displayText(error.message)}\n`;
}

export function failedJson({ skill: { label, uri, name }, error: { code, message } }: FailedSkill): object {
  return { origin: label, uri, name, code, message };
}
