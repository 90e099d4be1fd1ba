/**
 * `skillwire review`: shows the waiting skills one at a time and asks about each, like `git add -p`. Every decision is stored at once, so
 * leaving early loses none of them. Running servers that use the same state follow.
 */
import type { Command } from 'commander';
import { type ExitCode, exitCodes, SkillwireError } from '../../errors.ts';
import { planDigest } from '../../serving/approval-plan.ts';
import { displayText } from '../../skill/display-text.ts';
import { noGrants } from '../../store/decisions/approval.ts';
import { type Cli, type GlobalOptions, runs } from '../cli.ts';
import { type FailedSkill, failedJson, failedText, worstOf } from '../decisions/approve-plan.ts';
import { approveOffer, denyOffer, offerOf } from '../decisions/decide-skill.ts';
import { isStillWaiting, type PendingSkill, type WaitingHere, waitingHere } from '../decisions/waiting-skills.ts';
import { type CommandSession, shownLabel, withHost } from '../open-host.ts';
import { addConfigOptions, addStateOption, type ConnectionOptions } from '../options/connection-options.ts';
import { type ApprovalOffer, type OfferSummary, offerJson, offerSummary } from '../render/approval-offer.ts';
import { colorsFor } from '../render/color.ts';
import { commandText, placeFlags, writeElsewhere } from '../render/decision-commands.ts';
import { writeJson } from '../render/json-text.ts';
import { reviewText, viewedFilesText } from '../render/review-text.ts';
import { tableWidth } from '../render/table.ts';
import { counted } from '../render/values.ts';

interface ReviewOptions extends GlobalOptions, ConnectionOptions {
  readonly reason?: string;
}

const help = `
LABEL is an origin of skillwire.json or of a waiting skill (default: all). For each waiting skill: what it asks for, what
changed since the last approval, and a question. Decisions are stored at once. Approving lets agents load the skill; use
"skillwire approve ORIGIN SKILL --execution" for its scripts.

Answers:
  a approve, d deny this version, v view the files, s skip, q quit

Without a terminal, nothing is decided: "skillwire approve --all" and "skillwire approve --from-file" do it.

Exit codes:
  0 nothing is waiting any more, 1 skills are still waiting, 2 failed, 5 no terminal, 6 some skills could not be read,
  7 verification failed, 130 interrupted

Examples:
  skillwire review
  skillwire review docs --reason "OPS-12"
  skillwire review --json                  # the plan, with requests and changes; asks nothing`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addStateOption(addConfigOptions(command))
    .usage('[LABEL] [options]')
    .argument('[label]', 'Origin whose skills are reviewed')
    .option('--reason <text>', 'Reason for the audit')
    .addHelpText('after', help)
    .action(runs(cli, finish, review));
}

function review(label: string | undefined, options: ReviewOptions, cli: Cli): Promise<ExitCode> {
  let found: WaitingHere | undefined;
  return withHost(
    async (place, store) => {
      found = await waitingHere(label, options, place, store);
      return found.origins;
    },
    options,
    cli,
    async (session) => {
      const { skills = [], elsewhere = [] } = found ?? {};
      if (options.json === true) return listPlan(session, skills, label, options, cli);
      writeElsewhere(elsewhere, options, cli);
      if (skills.length === 0) {
        cli.stderr.write('Nothing is waiting for approval.\n');
        return exitCodes.ok;
      }
      if (cli.ask === undefined) return nobodyToAsk(skills, label, options, cli);
      return reviewAll(session, skills, options, cli);
    },
  );
}

/** Counts the outcomes of one review. */
interface Tally {
  approved: number;
  denied: number;
  skipped: number;
  readonly failed: FailedSkill[];
  /** Not waiting any more. */
  decided: number;
}

async function reviewAll(
  session: CommandSession,
  skills: readonly PendingSkill[],
  options: ReviewOptions,
  cli: Cli,
): Promise<ExitCode> {
  const tally: Tally = { approved: 0, denied: 0, skipped: 0, failed: [], decided: 0 };
  const left = (): number => skills.length - tally.decided;
  try {
    for (const [at, skill] of skills.entries()) {
      if (!(await isStillWaiting(skill, session))) {
        tally.decided++;
        cli.stderr.write(`\n${displayText(skill.name)} was decided elsewhere.\n`);
        continue;
      }
      const title = `${at + 1} of ${skills.length}`;
      if ((await reviewOne(session, skill, title, tally, options, cli)) === 'quit') break;
    }
  } catch (error) {
    // Decisions up to here are stored, so the usual "Nothing was changed" would be wrong.
    if (!(error instanceof SkillwireError) || error.code !== 'INTERRUPTED') throw error;
    cli.stderr.write(summaryText(tally, left(), options));
    return exitCodes.interrupted;
  }
  cli.stderr.write(summaryText(tally, left(), options));
  const worst = worstOf(tally.failed, tally.approved + tally.denied);
  if (worst !== exitCodes.ok) return worst;
  return left() === 0 ? exitCodes.ok : exitCodes.findings;
}

async function reviewOne(
  session: CommandSession,
  skill: PendingSkill,
  title: string,
  tally: Tally,
  options: ReviewOptions,
  cli: Cli,
): Promise<'next' | 'quit'> {
  const { signal } = session;
  const colors = colorsFor(cli.stderr, cli, options);
  const ask = (question: string): Promise<string> => (cli.ask ?? (() => Promise.resolve('q')))(question, signal);
  const offer = await readOffer(session, skill, tally, cli);
  if (offer === undefined) return 'next';
  const label = shownLabel(skill.label, cli.cwd);
  cli.stderr.write(reviewText(offer, { colors, title, label, width: tableWidth(cli.stderr) }));
  for (;;) {
    const answer = (await ask('[a]pprove [d]eny [v]iew files [s]kip [q]uit? ')).trim().toLowerCase();
    if (answer === 'a' || answer === 'approve') {
      await approveOffer(session, offer, options.reason ?? '', cli);
      tally.approved++;
      tally.decided++;
      return 'next';
    }
    if (answer === 'd' || answer === 'deny') {
      const reason = options.reason ?? (await ask('Reason (Enter for none): ')).trim();
      await denyOffer(session, offer, reason, cli);
      tally.denied++;
      tally.decided++;
      return 'next';
    }
    if (answer === 's' || answer === 'skip') {
      tally.skipped++;
      return 'next';
    }
    if (answer === 'q' || answer === 'quit') return 'quit';
    if (answer === 'v' || answer === 'view') cli.stderr.write(viewedFilesText(offer, { colors, label }));
    else cli.stderr.write('Type a, d, v, s or q, then Enter.\n');
  }
}

/** A skill that cannot be read is reported and stays waiting. */
async function readOffer(
  session: CommandSession,
  skill: PendingSkill,
  tally: Pick<Tally, 'failed'>,
  cli: Cli,
): Promise<ApprovalOffer | undefined> {
  try {
    return await offerOf(session, skill, noGrants, cli);
  } catch (error) {
    session.signal.throwIfAborted();
    if (!(error instanceof SkillwireError)) throw error;
    const failed = { skill, error };
    tally.failed.push(failed);
    cli.stderr.write(`\n${failedText(failed, cli)}`);
    return undefined;
  }
}

function summaryText({ approved, denied, skipped, failed }: Tally, left: number, options: ReviewOptions): string {
  const done = [
    `approved ${approved}`,
    ...(denied === 0 ? [] : [`denied ${denied}`]),
    ...(skipped === 0 ? [] : [`skipped ${skipped}`]),
    ...(failed.length === 0 ? [] : [`failed ${failed.length}`]),
  ].join(', ');
  const still = left === 1 ? '1 skill is still waiting' : `${left} skills are still waiting`;
  const rest =
    left === 0 ? 'Nothing is waiting any more.' : `${still}: ${commandText(['review', ...placeFlags(options)])}`;
  return `\n${done.charAt(0).toUpperCase()}${done.slice(1)}. ${rest}\n`;
}

async function approveAllCommand(
  skills: readonly PendingSkill[],
  label: string | undefined,
  options: ReviewOptions,
): Promise<{ readonly digest: string; readonly command: string }> {
  const digest = await planDigest(skills, noGrants);
  const words = ['approve', ...(label === undefined ? [] : [label]), '--all', '--yes', digest];
  return { digest, command: commandText([...words, ...placeFlags(options)]) };
}

async function nobodyToAsk(
  skills: readonly PendingSkill[],
  label: string | undefined,
  options: ReviewOptions,
  cli: Cli,
): Promise<ExitCode> {
  const { command } = await approveAllCommand(skills, label, options);
  const all = skills.length === 1 ? 'this skill' : `all ${skills.length} skills`;
  cli.stderr.write(
    `${counted(skills.length, 'skill')} to approve. Not reviewed: this needs a terminal. To approve ${all} without one, run:\n  ${command}\n`,
  );
  return exitCodes.refused;
}

async function listPlan(
  session: CommandSession,
  skills: readonly PendingSkill[],
  label: string | undefined,
  options: ReviewOptions,
  cli: Cli,
): Promise<ExitCode> {
  const offers: { readonly skill: PendingSkill; readonly offer: OfferSummary }[] = [];
  const failed: FailedSkill[] = [];
  for (const skill of skills) {
    try {
      const offer = offerSummary(await offerOf(session, skill, noGrants, cli));
      offers.push({ skill: { ...skill, setDigest: offer.setDigest }, offer });
    } catch (error) {
      session.signal.throwIfAborted();
      if (!(error instanceof SkillwireError)) throw error;
      failed.push({ skill, error });
    }
  }
  // Skills that cannot be read now belong to the plan of "approve --all" too.
  const all = [...offers.map(({ skill }) => skill), ...failed.map(({ skill }) => skill as PendingSkill)];
  const { digest, command } = await approveAllCommand(all, label, options);
  writeJson(cli, {
    version: 1,
    planDigest: all.length === 0 ? null : digest,
    command: all.length === 0 ? null : command,
    waiting: offers.map(({ skill, offer }) => ({ ...offerJson(offer), state: 'waiting', since: skill.since })),
    failed: failed.map(failedJson),
  });
  const worst = worstOf(failed, offers.length);
  if (worst !== exitCodes.ok) return worst;
  return skills.length === 0 ? exitCodes.ok : exitCodes.findings;
}
