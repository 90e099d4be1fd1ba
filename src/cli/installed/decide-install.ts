/**
 * Asks a person at the terminal what to install. Prints one line per skill and asks about all of them, and again about files that would
 * become executable. Without a terminal there is no default: `--approve` names the digest of one skill or of everything shown, and `-y`
 * accepts what `accepted-plan.ts` lets it.
 */
import { createHash } from 'node:crypto';
import type { Command } from 'commander';
import { shellWord } from '../../agents/client-config.ts';
import { PolicyError } from '../../errors.ts';
import { requestsOf } from '../../host/approve/skill-requests.ts';
import { isDigest } from '../../skill/digest.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import type { DecideInstall, InstallDecision, InstallOffer } from '../../sync/install-decision.ts';
import { type Cli, type GlobalOptions, isYes, usageError } from '../cli.ts';
import { optionIn, rareOption } from '../help/option-groups.ts';
import { shownLabel } from '../open-host.ts';
import { colorsFor } from '../render/color.ts';
import { type OfferOptions, offerDetails, offersText } from '../render/install-offer.ts';
import { tableWidth } from '../render/table.ts';
import { counted } from '../render/values.ts';
import { wrapped } from '../render/wrapped.ts';
import { type PlanFacts, refusedPlan } from './accepted-plan.ts';

export interface DecideOptions extends GlobalOptions {
  readonly yes?: boolean;
  readonly approve?: readonly string[];
  readonly scripts?: boolean;
  readonly allowSignerChange?: boolean;
  readonly dryRun?: boolean;
}

export function addDecisionOptions(command: Command): Command {
  return command
    .addOption(optionIn('common', '--dry-run', 'Show what would change, and change nothing'))
    .addOption(optionIn('common', '-y, --yes', 'Accept the shown plan, if you typed its origin; see below'))
    .addOption(
      optionIn('common', '--approve <digest>', 'Approve the skill or plan with this digest (repeatable)').argParser(
        collectDigest,
      ),
    )
    .addOption(rareOption('common', '--allow-signer-change', 'Accept skills of another signer than before'))
    .addOption(optionIn('common', '--scripts', 'Keep executable bits'))
    .addOption(rareOption('common', '--no-scripts', 'Make no file executable'));
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

export interface DecideContext {
  readonly cli: Cli;
  readonly signal: AbortSignal;
  /** For example `Install for claude-code`. */
  readonly who: string;
  /** Everything about the plan but its offers. */
  readonly plan: Omit<PlanFacts, 'offers'>;
}

export function decideAtTerminal(options: DecideOptions, context: DecideContext): DecideInstall {
  const { cli, plan } = context;
  return async (offers) => {
    const digest = planDigest(offers);
    const approved = new Set(options.approve);
    if (approved.has(digest) || offers.every(({ skill }) => approved.has(skill.setDigest))) return { allow: true };
    if (options.json !== true) cli.stderr.write(offersText(offers, offerOptions(options, cli)));
    if (options.dryRun === true) return { allow: true };
    if (options.yes === true) {
      const refused = refusedPlan({ ...plan, offers });
      // Files become executable by --scripts alone.
      if (refused === undefined) return { allow: true, scripts: false };
      throw notAccepted(offers, digest, cli, `--yes does not accept ${namesText(refused.names)}: ${refused.why}`);
    }
    if (cli.ask === undefined || options.json === true)
      throw notAccepted(offers, digest, cli, 'Nobody can be asked here');
    return askBoth(offers, options, context);
  };
}

function offerOptions(options: GlobalOptions, { stderr, env, cwd }: Cli): OfferOptions {
  return {
    colors: colorsFor(stderr, { env }, options),
    cwd,
    width: tableWidth(stderr),
    shown: (label) => shownLabel(label, cwd),
  };
}

async function askBoth(
  offers: readonly InstallOffer[],
  options: DecideOptions,
  { cli, signal, who }: DecideContext,
): Promise<InstallDecision> {
  const { ask, stderr } = cli;
  if (ask === undefined) return { allow: false };
  const open = offers.filter(({ verdict }) => verdict.effect === 'ask');
  const what = offers.length === 1 ? displayText(offers[0]?.name ?? '') : counted(offers.length, 'skill');
  if (open.length > 0) {
    let answer = await ask(`\n${who}: ${what}? [y/N/v for details] `, signal);
    while (/^\s*v(?:iew)?\s*$/i.test(answer)) {
      stderr.write(`\n${offerDetails(offers, offerOptions(options, cli))}`);
      answer = await ask(`\n${who}: ${what}? [y/N] `, signal);
    }
    if (!isYes(answer)) return { allow: false };
  }
  const executables = offers.flatMap((offer) => offer.executables.map((path) => `${offer.name}/${path}`));
  if (executables.length === 0 || options.scripts !== undefined) return { allow: true };
  const width = tableWidth(stderr);
  stderr.write(
    `\n${wrapped(`Executable at the origin: ${executables.map((path) => displayText(path)).join(', ')}`, width)}\n`,
  );
  return { allow: true, scripts: isYes(await ask('Keep executable bits? [y/N] ', signal)) };
}

function namesText(names: readonly string[]): string {
  const [first = ''] = names;
  return names.length === 1 ? quoteText(first) : `${quoteText(first)} and ${names.length - 1} more`;
}

/** Names the command that installs exactly this plan, without a question. */
function notAccepted(offers: readonly InstallOffer[], digest: string, { argv = [] }: Cli, why: string): PolicyError {
  const command = approvingCommand(argv, digest);
  const names = namesText(offers.map(({ name }) => name));
  return new PolicyError('NOT_APPROVED', `Not approved: ${names}. ${why}. To approve this plan, run:\n  ${command}`, {
    data: {
      planDigest: digest,
      command,
      needsApproval: offers.map((offer) => ({
        name: offer.name,
        origin: offer.skill.captured.label,
        uri: offer.skill.captured.entry.uri,
        setDigest: offer.skill.setDigest,
        why: offer.why,
        executables: offer.executables,
        requests: requestsOf(offer.skill.captured.entry, offer.skill.texts),
        change: offer.change,
        signature: offer.verdict.signature?.verdict,
        signerChange: offer.signerChange,
      })),
    },
  });
}

/** Earlier approvals on the command line were of something else. */
function approvingCommand(words: readonly string[], digest: string): string {
  const dropped = new Set(['-y', '--yes', '--json', '--no-input']);
  const remaining = words.filter(
    (word, index) => !dropped.has(word) && !word.startsWith('--approve') && words[index - 1] !== '--approve',
  );
  const end = remaining.indexOf('--');
  const at = end === -1 ? remaining.length : end;
  return ['skillwire', ...remaining.slice(0, at), '--approve', digest, ...remaining.slice(at)]
    .map((word) => displayText(shellWord(word)))
    .join(' ');
}
