/**
 * `skillwire approve`: shows a person exactly what would be approved and asks. The approval is bound to the current bytes of every file.
 * Without a terminal nothing is approved by default: `--yes` needs the digest of the reviewed version.
 */
import type { Command } from 'commander';
import { type ExitCode, exitCodes, PolicyError, SkillwireError } from '../../errors.ts';
import type { Approval, Grants } from '../../host/approve/approvals.ts';
import { hidesText, requestsOf } from '../../host/approve/skill-requests.ts';
import { contentKey } from '../../host/cache/content-cache.ts';
import type { CapturedEntry } from '../../host/load/capture.ts';
import { hasUniqueNames } from '../../origins/named-origin.ts';
import { isDigest } from '../../skill/digest.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import { type Cli, type GlobalOptions, isYes, usageError } from '../cli.ts';
import { findSkill } from '../find-skill.ts';
import { type Session, shownLabel, withHost } from '../open-host.ts';
import { addConnectionOptions, type ConnectionOptions, originHelp, skillHelp } from '../options/connection-options.ts';
import { startProgress } from '../progress.ts';
import { readFiles } from '../read-files.ts';
import { type ApprovalOffer, offerJson, offerText } from '../render/approval-offer.ts';
import { colorsFor } from '../render/color.ts';
import { writeJson } from '../render/json-text.ts';
import { approvalJson } from '../render/reading-json.ts';
import { grantsText } from '../render/requests-text.ts';

interface ApproveOptions extends GlobalOptions, ConnectionOptions {
  readonly execution?: boolean;
  readonly allowedTools?: boolean;
  readonly yes?: string;
  readonly reason?: string;
}

const help = `
${originHelp}
${skillHelp}
All files are verified first. An approval lets clients that use the same state load this version of the skill; any change
ends it. Scripts and tools are granted only with --execution and --allowed-tools.

Exit codes:
  0 approved, 2 failed or no such skill, 3 not authorized, 4 unreachable,
  5 not approved (declined, no terminal, or another version than --yes names), 7 verification failed, 130 interrupted

Examples:
  skillwire approve mcp:http://127.0.0.1:4711/mcp pdf-tools
  skillwire approve docs pdf-tools --execution --reason "reviewed in OPS-12"
  skillwire approve docs pdf-tools --json                  # exit 5; the set digest is in "needsApproval"
  skillwire approve docs pdf-tools --yes sha256:…`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addConnectionOptions(
    command
      .usage('[LABEL=]ORIGIN SKILL [options]')
      .argument('<origin>', 'Origin of the skill')
      .argument('<skill>', 'Skill to approve')
      .option('--execution', 'Let clients run its scripts and commands without asking each time')
      .option('--allowed-tools', 'Let clients grant the tools in allowed-tools')
      .option('--yes <setdigest>', 'Do not ask; approve the version with this set digest', parseSetDigest)
      .option('--reason <text>', 'Reason for the audit'),
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
  const { captured, setDigest, grants, state } = offer;
  if (state.state === 'current' && state.approval !== undefined && sameGrants(state.approval.grants, grants)) {
    return report(state.approval, 'already approved', options, cli);
  }
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
  await storeFiles(session, offer, cli);
  const { approval } = await host.approvals.grant(captured, grants, options.reason ?? '', { hiddenSeen: offer.hidden });
  return report(approval, 'approved', options, cli);
}

function effectText({ execution, allowedTools }: Grants): string {
  const rights = ['load it', ...(execution ? ['run its scripts'] : []), ...(allowedTools ? ['use its tools'] : [])];
  return `Agents will be able to ${rights.join(' and ')}.`;
}

/** Everything needed for a decision, from the verified bytes of all files. */
async function makeOffer(
  { host, signal, origins }: Session,
  label: string,
  reference: string,
  options: ApproveOptions,
  cli: Cli,
): Promise<ApprovalOffer> {
  const progress = startProgress(cli, `Contacting ${shownLabel(label, cli.cwd)}`);
  try {
    const { captured } = await findSkill(host, label, reference, signal, hasUniqueNames(origins[0]));
    if (captured.setDigest === undefined) throw cannotBeStored(captured);
    const { bytes, texts, failures } = await readFiles(host, captured, 'all', signal, progress);
    if (failures[0] !== undefined) throw failures[0];
    const state = await host.approvals.state(captured);
    const change =
      state.state === 'changed' ? await host.approvals.change(captured, { fetch: true, signal }) : undefined;
    const grants = { execution: options.execution === true, allowedTools: options.allowedTools === true };
    const seen = { requests: requestsOf(captured.entry, texts), hidden: hidesText(captured.entry, texts), bytes };
    const offer = { captured, setDigest: captured.setDigest, grants, state, ...seen };
    return change === undefined ? offer : { ...offer, change };
  } finally {
    progress.stop();
  }
}

/**
 * Stores the reviewed files, so later changes can be shown against them and a server can keep serving them. The approval does not depend on
 * them.
 */
async function storeFiles(
  { store, configuration }: Session,
  { captured, bytes }: ApprovalOffer,
  cli: Cli,
): Promise<void> {
  if (captured.entry.resources === 'dynamic') return;
  const servesApproved = (await configuration())?.configuration.policy?.mode === 'approved-only';
  if (captured.local && !servesApproved) return;
  try {
    for (const { uri, digest, size } of captured.entry.resources) {
      const content = bytes.get(uri);
      if (content === undefined) continue;
      await store.blobs.put(digest, content);
      await store.index.set(contentKey(captured.label, uri), { digest, size });
    }
  } catch (error) {
    if (!(error instanceof SkillwireError)) throw error;
    cli.stderr.write(`warning: Later changes will be shown without text: ${displayText(error.message)}\n`);
  }
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

function report(approval: Approval, what: string, options: ApproveOptions, cli: Cli): ExitCode {
  if (options.json === true) {
    writeJson(cli, { version: 1, approved: true, approval: approvalJson(approval) });
  } else {
    const name = displayText(approval.name);
    cli.stderr.write(`${what}: ${name} (${grantsText(approval.grants)}), ${approval.setDigest ?? ''}\n`);
  }
  return exitCodes.ok;
}

function sameGrants(a: Grants, b: Grants): boolean {
  return a.execution === b.execution && a.allowedTools === b.allowedTools;
}

function cannotBeStored({ label, entry, status }: CapturedEntry): PolicyError {
  const why = status === 'no-size' ? 'its origin promises no sizes' : 'its origin promises no digests';
  return new PolicyError(
    'NOT_APPROVED',
    `Cannot store an approval for ${quoteText(entry.frontmatter.name)}: ${why}. ` +
      'Pin it with "skillwire pin", or trust its origin in a policy.',
    { data: { origin: label, uri: entry.uri, status } },
  );
}

function otherVersion({ label, entry }: CapturedEntry, given: string, setDigest: string): PolicyError {
  return new PolicyError(
    'NOT_APPROVED',
    `Not approved: ${quoteText(entry.frontmatter.name)} now has the set digest ${setDigest}, not ${given}. ` +
      'Review it with "skillwire diff" or "skillwire show".',
    { data: { origin: label, uri: entry.uri, setDigest, given } },
  );
}

function parseSetDigest(text: string): string {
  if (isDigest(text)) return text;
  throw usageError('--yes takes a set digest: sha256: and 64 hexadecimal digits. "skillwire show" prints it.');
}
