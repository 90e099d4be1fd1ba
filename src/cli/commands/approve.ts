/**
 * `skillwire approve`: shows a person exactly what would be approved and asks. An approval is bound to the current bytes of every file.
 * `--all` and `--from-file` approve several skills with one answer. Without a terminal nothing is approved by default: `--yes` needs the
 * digest of the reviewed version or plan.
 */
import { type Command, Option } from 'commander';
import { type ExitCode, exitCodes } from '../../errors.ts';
import type { Approval, Grants } from '../../host/approve/approvals.ts';
import { hasUniqueNames } from '../../origins/named-origin.ts';
import { isDigest } from '../../skill/digest.ts';
import { displayText } from '../../skill/display-text.ts';
import { withSkill } from '../chosen-skill.ts';
import { type Cli, type GlobalOptions, isYes, usageError } from '../cli.ts';
import { approvePlan, type WantedPlan } from '../decisions/approve-plan.ts';
import { approveOffer, isApproved, makeOffer, otherVersion } from '../decisions/decide-skill.ts';
import { readPlanFile } from '../decisions/plan-file.ts';
import { originsNamed, type PendingSkill, waitingHere } from '../decisions/waiting-skills.ts';
import { findSkill } from '../find-skill.ts';
import { type CommandSession, shownLabel, withHost } from '../open-host.ts';
import { addConnectionOptions, type ConnectionOptions, originHelp, skillHelp } from '../options/connection-options.ts';
import { startProgress } from '../progress.ts';
import { type ApprovalOffer, offerJson, offerText } from '../render/approval-offer.ts';
import { colorsFor } from '../render/color.ts';
import { commandText, placeFlags, writeElsewhere } from '../render/decision-commands.ts';
import { writeJson } from '../render/json-text.ts';
import { approvalJson } from '../render/reading-json.ts';
import { effectText, grantsText } from '../render/requests-text.ts';

interface ApproveOptions extends GlobalOptions, ConnectionOptions {
  readonly execution?: boolean;
  readonly allowedTools?: boolean;
  readonly all?: boolean;
  readonly fromFile?: string;
  readonly yes?: string;
  readonly reason?: string;
  readonly allowSignerChange?: boolean;
}

const help = `
${originHelp}
${skillHelp}
All files are verified first. An approval lets clients that use the same state load this version of the skill; any change
ends it. Scripts and tools are granted only with --execution and --allowed-tools.

--all approves what waits at a server ("skillwire waiting") after one question. Its plan has one digest for all versions;
--yes with that digest approves exactly this plan. A skill that fails does not stop the others.

Exit codes:
  0 approved, 2 failed or no such skill, 3 not authorized, 4 unreachable,
  5 not approved (declined, no terminal, or another version or plan than --yes names), 6 some skills were not approved,
  7 verification failed, 130 interrupted

Examples:
  skillwire approve mcp:http://127.0.0.1:4711/mcp pdf-tools
  skillwire approve docs pdf-tools --execution --reason "reviewed in OPS-12"
  skillwire approve docs pdf-tools --json                  # exit 5; the set digest is in "needsApproval"
  skillwire approve docs pdf-tools --yes sha256:…
  skillwire approve docs --all                             # shows all that waits at docs, and asks once
  skillwire approve --all --yes sha256:…                   # exactly this plan, without a terminal
  skillwire approve --from-file waiting.json               # versions that "skillwire waiting --json" wrote`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addConnectionOptions(
    command
      .usage('[LABEL=]ORIGIN SKILL [options] | [ORIGIN] --all | --from-file FILE')
      .argument('[origin]', 'Origin of the skill')
      .argument('[skill]', 'Skill to approve')
      .addOption(new Option('--all', 'Approve all waiting skills, of ORIGIN or of all origins').conflicts('fromFile'))
      .option('--from-file <file>', 'Approve the versions in a file of "waiting --json" or "review --json"')
      .option('--execution', 'Let clients run its scripts and commands without asking each time')
      .option('--allowed-tools', 'Let clients grant the tools in allowed-tools')
      .option('--allow-signer-change', 'Accept a skill of another signer than before')
      .option('--yes <digest>', 'Do not ask; approve the version or plan with this digest', parseDigest)
      .option('--reason <text>', 'Reason for the audit'),
  )
    .addHelpText('after', help)
    .action(async (origin: string | undefined, skill: string | undefined, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<ApproveOptions>();
      if (options.fromFile !== undefined) finish(await approveFile(options.fromFile, [origin, skill], options, cli));
      else if (options.all === true) finish(await approveWaiting(origin, skill, options, cli));
      else if (origin === undefined)
        throw usageError(
          'Nothing to approve. Name an origin and a skill, or use --all. "skillwire review" asks one by one.',
        );
      else {
        const words = { origin, words: [skill], command: 'approve' };
        finish(await withSkill(words, options, cli, (session, chosen) => approve(session, chosen()[0], options, cli)));
      }
    });
}

const grantsIn = ({ execution = false, allowedTools = false }: ApproveOptions): Grants => ({ execution, allowedTools });

async function approve(
  session: CommandSession,
  reference: string,
  options: ApproveOptions,
  cli: Cli,
): Promise<ExitCode> {
  const { origins, signal } = session;
  const label = origins[0]?.label ?? '';
  const offer = await readOffer(session, label, reference, options, cli);
  const { captured, setDigest, grants, state } = offer;
  if (isApproved(offer) && state.approval !== undefined)
    return report(session, state.approval, 'already approved', options, cli);
  if (options.yes !== undefined) {
    if (options.yes !== setDigest) throw otherVersion(captured, options.yes, setDigest);
  } else {
    if (options.json !== true) {
      const colors = colorsFor(cli.stderr, cli, options);
      const shown = { colors, cwd: cli.cwd, label: shownLabel(label, cli.cwd) };
      cli.stderr.write(offerText(offer, shown));
    }
    if (options.json === true || cli.ask === undefined) return nobodyToAsk(offer, options, cli);
    const question = `\nApprove ${displayText(captured.entry.frontmatter.name)}? ${effectText(grants)} [y/N] `;
    if (!isYes(await cli.ask(question, signal))) {
      cli.stderr.write('Not approved.\n');
      return exitCodes.refused;
    }
  }
  const approval = await approveOffer(session, offer, options.reason ?? '', cli, options);
  return report(session, approval, 'approved', options, cli);
}

async function readOffer(
  session: CommandSession,
  label: string,
  reference: string,
  options: ApproveOptions,
  cli: Cli,
): Promise<ApprovalOffer> {
  const { host, signal, origins } = session;
  const progress = startProgress(cli, `Contacting ${shownLabel(label, cli.cwd)}`);
  try {
    const { captured } = await findSkill(host, label, reference, signal, hasUniqueNames(origins[0]));
    return await makeOffer(session, captured, grantsIn(options), progress);
  } finally {
    progress.stop();
  }
}

function approveWaiting(
  origin: string | undefined,
  skill: string | undefined,
  options: ApproveOptions,
  cli: Cli,
): Promise<ExitCode> {
  if (skill !== undefined)
    throw usageError('--all approves every waiting skill. Name an origin alone, or leave --all out.');
  let skills: readonly PendingSkill[] = [];
  let elsewhere: readonly PendingSkill[] = [];
  return withHost(
    async (place, store) => {
      const found = await waitingHere(origin, options, place, store);
      ({ skills, elsewhere } = found);
      return found.origins;
    },
    options,
    cli,
    async (session) => {
      const words = [...(origin === undefined ? [] : [origin]), '--all'];
      if (options.json !== true) writeElsewhere(elsewhere, options, cli);
      return approvePlan(session, planOf(skills, 'queue', words, options), options, cli);
    },
  );
}

async function approveFile(
  file: string,
  others: readonly (string | undefined)[],
  options: ApproveOptions,
  cli: Cli,
): Promise<ExitCode> {
  if (others.some((word) => word !== undefined))
    throw usageError('--from-file names the origins and skills. Leave the other arguments out.');
  const skills = await readPlanFile(file, cli);
  return withHost(
    (place) =>
      originsNamed(
        skills.map(({ label }) => label),
        options,
        place,
      ),
    options,
    cli,
    (session) => approvePlan(session, planOf(skills, 'file', ['--from-file', file], options), options, cli),
  );
}

function planOf(
  skills: WantedPlan['skills'],
  from: WantedPlan['from'],
  words: readonly string[],
  options: ApproveOptions,
): WantedPlan {
  const { execution, allowedTools } = grantsIn(options);
  const flags = [...(execution ? ['--execution'] : []), ...(allowedTools ? ['--allowed-tools'] : [])];
  const command = commandText(['approve', ...words, ...flags, ...placeFlags(options)]);
  return { skills, from, grants: grantsIn(options), command };
}

function nobodyToAsk(offer: ApprovalOffer, options: ApproveOptions, cli: Cli): ExitCode {
  if (options.json === true) {
    writeJson(cli, { version: 1, approved: false, needsApproval: [offerJson(offer)] });
  } else {
    cli.stderr.write(
      `\nNot approved: this needs a terminal. To approve this version without one, add --yes ${offer.setDigest}\n`,
    );
  }
  return exitCodes.refused;
}

async function report(
  { confirmation }: CommandSession,
  approval: Approval,
  what: string,
  options: ApproveOptions,
  cli: Cli,
): Promise<ExitCode> {
  if (options.json === true) {
    writeJson(cli, { version: 1, approved: true, approval: approvalJson(approval), ...(await confirmation()) });
  } else {
    const name = displayText(approval.name);
    cli.stderr.write(`${what}: ${name} (${grantsText(approval.grants)}), ${approval.setDigest ?? ''}\n`);
  }
  return exitCodes.ok;
}

function parseDigest(text: string): string {
  if (isDigest(text)) return text;
  throw usageError(
    '--yes takes a digest: sha256: and 64 hexadecimal digits. "skillwire waiting" prints whole commands.',
  );
}
