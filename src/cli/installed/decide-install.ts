/**
 * Asks a person at the terminal what to install: shows everything, asks once about all of it, and once more if files would become
 * executable. Without a terminal there is no default: `--approve` names the digest of one skill or of everything shown.
 */
import { createHash } from 'node:crypto';
import type { Command } from 'commander';
import { PolicyError } from '../../errors.ts';
import { requestsOf } from '../../host/approve/skill-requests.ts';
import { isDigest } from '../../skill/digest.ts';
import type { DecideInstall, InstallDecision, InstallOffer } from '../../sync/install-decision.ts';
import { type Cli, type GlobalOptions, isYes, usageError } from '../cli.ts';
import { shownLabel } from '../open-host.ts';
import { changeSummaryText, fileDiffsText } from '../render/change-text.ts';
import { type Colors, colorsFor } from '../render/color.ts';
import { requestsText } from '../render/requests-text.ts';
import { filesText, headText } from '../render/skill-text.ts';
import { counted } from '../render/values.ts';

export interface DecideOptions extends GlobalOptions {
  readonly yes?: boolean;
  readonly approve?: readonly string[];
  readonly scripts?: boolean;
  readonly dryRun?: boolean;
}

export function addDecisionOptions(command: Command): Command {
  return command
    .option('--dry-run', 'Show what would change, and change nothing')
    .option('-y, --yes', 'Do not ask; install only approved, allowed or locked skills')
    .option('--approve <digest>', 'Approve the skill or plan with this digest (repeatable)', collectDigest)
    .option('--scripts', 'Keep executable bits')
    .option('--no-scripts', 'Make no file executable');
}

function collectDigest(text: string, earlier: readonly string[] = []): readonly string[] {
  if (isDigest(text)) return [...earlier, text];
  throw usageError('--approve takes a digest: sha256: and 64 hexadecimal digits.');
}

/** One digest over everything that is offered. */
export function planDigest(offers: readonly InstallOffer[]): string {
  const lines = offers.map(({ name, skill, executables }) => `${skill.setDigest} ${name} ${executables.join(' ')}\n`);
  return `sha256:${createHash('sha256').update(lines.sort().join('')).digest('hex')}`;
}

/** @param who for example `install for claude-code` */
export function decideAtTerminal(options: DecideOptions, cli: Cli, signal: AbortSignal, who: string): DecideInstall {
  return async (offers) => {
    const digest = planDigest(offers);
    const approved = new Set(options.approve);
    if (approved.has(digest) || offers.every(({ skill }) => approved.has(skill.setDigest))) return { allow: true };
    if (options.json !== true) cli.stderr.write(offersText(offers, options, cli));
    if (options.dryRun === true) return { allow: true };
    if (cli.ask === undefined || options.json === true || options.yes === true)
      throw nobodyToAsk(offers, digest, options);
    return askBoth(offers, options, cli, signal, who);
  };
}

async function askBoth(
  offers: readonly InstallOffer[],
  options: DecideOptions,
  { ask, stderr }: Cli,
  signal: AbortSignal,
  who: string,
): Promise<InstallDecision> {
  if (ask === undefined) return { allow: false };
  const open = offers.filter(({ verdict }) => verdict.effect === 'ask');
  const what = offers.length === 1 ? offers[0]?.name : counted(offers.length, 'skill');
  if (open.length > 0 && !isYes(await ask(`\n${who}: ${what}? [y/N] `, signal))) return { allow: false };
  const executables = offers.flatMap((offer) => offer.executables.map((path) => `${offer.name}/${path}`));
  if (executables.length === 0 || options.scripts !== undefined) return { allow: true };
  stderr.write(`\nExecutable at the origin: ${executables.join(', ')}\n`);
  return { allow: true, scripts: isYes(await ask('Keep executable bits? [y/N] ', signal)) };
}

function offersText(offers: readonly InstallOffer[], options: GlobalOptions, cli: Cli): string {
  const colors = colorsFor(cli.stderr, cli, options);
  return offers.map((offer) => offerText(offer, colors, cli.cwd)).join('\n');
}

function offerText({ skill, change, executables }: InstallOffer, colors: Colors, cwd: string): string {
  const { captured: held, texts } = skill;
  const shown = { colors, cwd, label: shownLabel(held.label, cwd) };
  const asked = requestsText(requestsOf(held.entry, texts), colors);
  return [
    headText(held, shown),
    change === undefined
      ? `${colors.bold('files')}\n${filesText(held, shown)}`
      : `${colors.bold('changed since installation')}\n${changeSummaryText(change, colors)}\n${fileDiffsText(change, colors)}`,
    `${colors.bold('asks for')}\n${asked === '' ? '  nothing\n' : asked}`,
    executables.length === 0 ? '' : `Scripts (not executable yet): ${executables.join(', ')}\n`,
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function nobodyToAsk(offers: readonly InstallOffer[], digest: string, { yes }: DecideOptions): PolicyError {
  const [first] = offers;
  const name = first === undefined ? '' : `"${first.name}"`;
  const names = offers.length === 1 ? name : `${name} and ${offers.length - 1} more`;
  const why =
    yes === true
      ? '--yes installs only approved, allowed or locked skills. To approve this one, add'
      : 'This needs a terminal. To approve without one, add';
  return new PolicyError('NOT_APPROVED', `Not approved: ${names}. ${why} --approve ${digest}`, {
    data: {
      planDigest: digest,
      needsApproval: offers.map((offer) => ({
        name: offer.name,
        origin: offer.skill.captured.label,
        uri: offer.skill.captured.entry.uri,
        setDigest: offer.skill.setDigest,
        why: offer.why,
        executables: offer.executables,
        requests: requestsOf(offer.skill.captured.entry, offer.skill.texts),
        change: offer.change,
      })),
    },
  });
}
