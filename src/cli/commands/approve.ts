/**
 * `skillwire approve`: shows a person exactly what would be approved and asks. The approval is bound to every file as it is
 * now. Without a terminal nothing is ever approved by default: `--yes` needs the digest of the set that was seen.
 */
import type { Command } from 'commander';
import { type ExitCode, exitCodes, PolicyError, SkillwireError } from '../../errors.ts';
import type { Approval, Grants } from '../../host/approve/approvals.ts';
import { asksOf, hidesText } from '../../host/approve/skill-asks.ts';
import { contentKey } from '../../host/cache/content-cache.ts';
import type { CapturedEntry } from '../../host/load/capture.ts';
import { hasUniqueNames } from '../../origins/named-origin.ts';
import { isDigest } from '../../skill/digest.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import { type Cli, type GlobalOptions, isYes } from '../cli.ts';
import { findHeld } from '../find-held.ts';
import { type Session, shownLabel, withHost } from '../open-host.ts';
import { addConnectionOptions, type ConnectionOptions, originHelp, skillHelp } from '../options/connection-options.ts';
import { startProgress } from '../progress.ts';
import { readFiles } from '../read-files.ts';
import { type ApprovalOffer, offerJson, offerText } from '../render/approval-offer.ts';
import { grantsText } from '../render/asks-text.ts';
import { createColors, wantsColor } from '../render/color.ts';
import { jsonText } from '../render/json-text.ts';
import { approvalJson } from '../render/reading-json.ts';

interface ApproveOptions extends GlobalOptions, ConnectionOptions {
  readonly execution?: boolean;
  readonly allowedTools?: boolean;
  readonly yes?: string;
  readonly reason?: string;
}

const help = `
${originHelp}
${skillHelp}
All files are read and verified first. An approval allows hosts that use the same state to load the skill exactly as it
is; any change ends it. What the skill asks for beyond that is granted only with --execution and --allowed-tools.

Exit codes:
  0 approved, 2 could not run or no such skill, 3 not authorized, 4 unreachable,
  5 not approved: declined, nobody to ask, or another set than --yes names, 7 a file is not what the entry says,
  130 interrupted

Examples:
  skillwire approve mcp:http://127.0.0.1:4711/mcp pdf-tools
  skillwire approve docs pdf-tools --execution --reason "reviewed in OPS-12"
  skillwire approve docs pdf-tools --json                  # exit 5; the set digest is in "needsApproval"
  skillwire approve docs pdf-tools --yes sha256:…`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addConnectionOptions(
    command
      .usage('[LABEL=]ORIGIN SKILL [options]')
      .argument('<origin>', 'where the skill is')
      .argument('<skill>', 'which one')
      .option('--execution', 'let hosts run its scripts and commands without asking each time')
      .option('--allowed-tools', 'let hosts grant the tools that it names in allowed-tools')
      .option('--yes <setdigest>', 'approve without a question if the set of its files has this digest', parseSetDigest)
      .option('--reason <text>', 'why, for the audit'),
  )
    .addHelpText('after', help)
    .action(async (origin: string, skill: string, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<ApproveOptions>();
      finish(await withHost([origin], options, cli, (session) => approve(session, skill, options, cli)));
    });
}

async function approve(session: Session, reference: string, options: ApproveOptions, cli: Cli): Promise<ExitCode> {
  const { host, origins, signal } = session;
  const label = origins[0]?.label ?? '';
  const offer = await makeOffer(session, label, reference, options, cli);
  const { held, setDigest, grants, state } = offer;
  if (state.state === 'current' && state.approval !== undefined && sameGrants(state.approval.grants, grants)) {
    return told(state.approval, 'already approved', options, cli);
  }
  if (options.yes !== undefined) {
    if (options.yes !== setDigest) throw otherSet(held, options.yes, setDigest);
  } else {
    if (options.json !== true) {
      const colors = createColors(wantsColor(cli.stderr, { env: cli.env, color: options.color }));
      const shown = { colors, cwd: cli.cwd, label: shownLabel(label, cli.cwd) };
      cli.stderr.write(offerText(offer, shown));
    }
    if (options.json === true || cli.ask === undefined) return nobodyToAsk(offer, options, cli);
    const question = `\nApprove ${displayText(held.entry.frontmatter.name)} as it is now (${grantsText(grants)})? [y/N] `;
    if (!isYes(await cli.ask(question, signal))) {
      cli.stderr.write('not approved\n');
      return exitCodes.refused;
    }
  }
  await keep(session, offer, cli);
  const { approval } = await host.approvals.grant(held, grants, options.reason ?? '', { hiddenSeen: offer.hidden });
  return told(approval, 'approved', options, cli);
}

/** Everything that a decision needs, from the verified bytes of all files. */
async function makeOffer(
  { host, signal, origins }: Session,
  label: string,
  reference: string,
  options: ApproveOptions,
  cli: Cli,
): Promise<ApprovalOffer> {
  const progress = startProgress(cli, `asking ${shownLabel(label, cli.cwd)}`);
  try {
    const { held } = await findHeld(host, label, reference, signal, hasUniqueNames(origins[0]));
    if (held.setDigest === undefined) throw cannotBeStored(held);
    const { bytes, texts, failures } = await readFiles(host, held, 'all', signal, progress);
    if (failures[0] !== undefined) throw failures[0];
    const state = await host.approvals.state(held);
    const change = state.state === 'changed' ? await host.approvals.change(held, { fetch: true, signal }) : undefined;
    const grants = { execution: options.execution === true, allowedTools: options.allowedTools === true };
    const seen = { asks: asksOf(held.entry, texts), hidden: hidesText(held.entry, texts), bytes };
    const offer = { held, setDigest: held.setDigest, grants, state, ...seen };
    return change === undefined ? offer : { ...offer, change };
  } finally {
    progress.stop();
  }
}

/**
 * What was seen is kept, so that a later change can be shown against it, and so that a server for others can go on serving it. An
 * approval does not depend on it.
 */
async function keep({ store, configuration }: Session, { held, bytes }: ApprovalOffer, cli: Cli): Promise<void> {
  if (held.entry.resources === 'dynamic') return;
  const servesApproved = (await configuration())?.configuration.policy?.mode === 'approved-only';
  if (held.local && !servesApproved) return;
  try {
    for (const { uri, digest, size } of held.entry.resources) {
      const content = bytes.get(uri);
      if (content === undefined) continue;
      await store.blobs.put(digest, content);
      await store.index.set(contentKey(held.label, uri), { digest, size });
    }
  } catch (error) {
    if (!(error instanceof SkillwireError)) throw error;
    cli.stderr.write(`warning: later changes will be shown without text: ${displayText(error.message)}\n`);
  }
}

function nobodyToAsk(offer: ApprovalOffer, options: ApproveOptions, cli: Cli): ExitCode {
  if (options.json === true) {
    cli.stdout.write(`${jsonText({ version: 1, approved: false, needsApproval: [offerJson(offer)] }, 2)}\n`);
  } else {
    cli.stderr.write(
      '\nnot approved: there is no terminal to ask at; to approve exactly this, run it again with ' +
        `--yes ${offer.setDigest}\n`,
    );
  }
  return exitCodes.refused;
}

function told(approval: Approval, what: string, options: ApproveOptions, cli: Cli): ExitCode {
  if (options.json === true) {
    cli.stdout.write(`${jsonText({ version: 1, approved: true, approval: approvalJson(approval) }, 2)}\n`);
  } else {
    const name = displayText(approval.name);
    cli.stderr.write(`${what}: ${name} (${grantsText(approval.grants)}), ${approval.setDigest ?? ''}\n`);
  }
  return exitCodes.ok;
}

function sameGrants(given: Grants, wanted: Grants): boolean {
  return given.execution === wanted.execution && given.allowedTools === wanted.allowedTools;
}

function cannotBeStored({ label, entry, status }: CapturedEntry): PolicyError {
  const why =
    status === 'no-size'
      ? 'its origin gives digests without sizes, so it cannot be verified as a whole'
      : status === 'no-digest'
        ? 'its origin gives no digests, so there is nothing that an approval could be bound to'
        : 'its origin generates it and promises no digests, so there is nothing that an approval could be bound to';
  return new PolicyError(
    'NOT_APPROVED',
    `cannot store an approval for ${quoteText(entry.frontmatter.name)}: ${why}; ` +
      'a host that loads it asks each time it starts, or has a policy that trusts the origin',
    { data: { origin: label, uri: entry.uri, status } },
  );
}

function otherSet({ label, entry }: CapturedEntry, given: string, setDigest: string): PolicyError {
  return new PolicyError(
    'NOT_APPROVED',
    `not approved: ${quoteText(entry.frontmatter.name)} is now the set ${setDigest}, not ${given} as --yes says; ` +
      'look at it with "skillwire diff" or "skillwire show", then approve what you saw',
    { data: { origin: label, uri: entry.uri, setDigest, given } },
  );
}

function parseSetDigest(text: string): string {
  if (isDigest(text)) return text;
  throw new SkillwireError(
    'USAGE',
    '--yes takes the digest of the set that you approve, sha256: and 64 hexadecimal digits; "skillwire show" prints it',
  );
}
