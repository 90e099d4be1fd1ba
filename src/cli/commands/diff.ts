/** `skillwire diff`: a skill as it was approved against the skill as it is now; with `--installed` what was installed against what is there. */
import type { Command } from 'commander';
import { type ExitCode, exitCodes, PolicyError, SkillwireError } from '../../errors.ts';
import type { SkillChange } from '../../host/approve/skill-change.ts';
import { hasUniqueNames } from '../../origins/named-origin.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import { type Cli, type GlobalOptions, usageError } from '../cli.ts';
import { findHeld } from '../find-held.ts';
import { type Session, shownLabel, withHost } from '../open-host.ts';
import { addConnectionOptions, type ConnectionOptions, originHelp, skillHelp } from '../options/connection-options.ts';
import { addPlaceOptions, type PlaceOptions, placeFor } from '../options/install-options.ts';
import { startProgress } from '../progress.ts';
import { changeSummaryText, fileDiffsText } from '../render/change-text.ts';
import { colorsFor } from '../render/color.ts';
import { writeJson } from '../render/json-text.ts';
import { approvalJson } from '../render/reading-json.ts';

interface DiffOptions extends GlobalOptions, ConnectionOptions, PlaceOptions {
  readonly fetch?: boolean;
  readonly installed?: boolean;
  readonly config?: string;
  readonly state?: string;
}

const help = `
${originHelp}
${skillHelp}
The text of the approved files is known as far as they were read before; that of the current ones with --fetch.
With --installed there is no ORIGIN: installed skills, or those that are named, are compared with skillwire.lock. What
was installed is read from what is kept, and from the origin of the lock file only where it is not.

Exit codes:
  0 as it was approved or installed, 1 changed, 2 could not run or no such skill, 3 not authorized, 4 unreachable,
  5 it was never approved, 7 a file is not what the entry says, 130 interrupted

Examples:
  skillwire diff docs pdf-tools
  skillwire diff docs pdf-tools --fetch
  skillwire diff --installed
  skillwire diff mcp:http://127.0.0.1:4711/mcp pdf-tools --json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  const withPlace = addPlaceOptions(
    command
      .usage('[LABEL=]ORIGIN SKILL [options]')
      .argument('[origin]', 'where the skill is')
      .argument('[skill]', 'which one')
      .argument('[more...]', 'with --installed: more names of installed skills')
      .option('--fetch', 'read the current files, to show how their text differs')
      .option('--installed', 'compare installed skills with skillwire.lock'),
  );
  addConnectionOptions(withPlace)
    .addHelpText('after', help)
    .action(
      async (
        origin: string | undefined,
        skill: string | undefined,
        more: readonly string[],
        _: unknown,
        self: Command,
      ) => {
        const options = self.optsWithGlobals<DiffOptions>();
        const given = [origin, skill, ...more].filter((text) => text !== undefined);
        if (options.installed === true) {
          const { diffInstalled } = await import('../installed/diff-installed.ts');
          finish(await diffInstalled(given, await placeFor(options, cli), options, cli));
          return;
        }
        if (origin === undefined || skill === undefined || more.length > 0) throw wrongArguments();
        finish(await withHost([origin], options, cli, (session) => diff(session, skill, options, cli)));
      },
    );
}

function wrongArguments(): SkillwireError {
  return usageError('diff takes an ORIGIN and a SKILL, or --installed; run "skillwire diff --help"');
}

async function diff(session: Session, reference: string, options: DiffOptions, cli: Cli): Promise<ExitCode> {
  const { host, origins, signal } = session;
  const label = origins[0]?.label ?? '';
  const progress = startProgress(cli, `asking ${shownLabel(label, cli.cwd)}`);
  try {
    const { held } = await findHeld(host, label, reference, signal, hasUniqueNames(origins[0]));
    const { state, approval } = await host.approvals.state(held);
    if (approval === undefined) {
      throw new PolicyError(
        'NOT_APPROVED',
        `there is nothing to compare with: ${quoteText(held.entry.frontmatter.name)} of ${quoteText(label)} was never approved`,
        { data: { origin: label, uri: held.entry.uri } },
      );
    }
    const change =
      state === 'current' ? undefined : await host.approvals.change(held, { fetch: options.fetch === true, signal });
    progress.stop();
    if (options.json === true) {
      const facts = { origin: label, uri: held.entry.uri, setDigest: held.setDigest ?? null };
      const result = { version: 1, ...facts, changed: change !== undefined, approval: approvalJson(approval) };
      writeJson(cli, change === undefined ? result : { ...result, change });
    } else {
      writeText(change, displayText(held.entry.frontmatter.name), options, cli);
    }
    return change === undefined ? exitCodes.ok : exitCodes.findings;
  } finally {
    progress.stop();
  }
}

function writeText(change: SkillChange | undefined, name: string, options: DiffOptions, cli: Cli): void {
  if (change === undefined) {
    cli.stderr.write(`${name} is as it was approved\n`);
    return;
  }
  const onStderr = colorsFor(cli.stderr, cli, options);
  cli.stderr.write(`${name} has changed since it was approved\n${changeSummaryText(change, onStderr)}`);
  cli.stdout.write(fileDiffsText(change, colorsFor(cli.stdout, cli, options)));
}
