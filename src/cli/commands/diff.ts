/** `skillwire diff`: compares a skill with its approved version, or with `--installed` installed skills with the lock file. */
import type { Command } from 'commander';
import { type ExitCode, exitCodes, PolicyError } from '../../errors.ts';
import type { SkillChange } from '../../host/approve/skill-change.ts';
import { hasUniqueNames } from '../../origins/named-origin.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import { withSkill } from '../chosen-skill.ts';
import { type Cli, type GlobalOptions, usageError } from '../cli.ts';
import { findSkill } from '../find-skill.ts';
import { type CommandSession, shownLabel } from '../open-host.ts';
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
}

const help = `
${originHelp}
${skillHelp}
Approved files have a text if they were read before; current files are read with --fetch.

--installed takes names of installed skills instead of ORIGIN (default: all) and compares them with skillwire.lock. The
installed text comes from the store, or from the origin if it is not stored.

Exit codes:
  0 unchanged, 1 changed, 2 failed or no such skill, 3 not authorized, 4 unreachable, 5 never approved,
  7 verification failed, 130 interrupted

Examples:
  skillwire diff docs pdf-tools
  skillwire diff docs pdf-tools --fetch
  skillwire diff --installed
  skillwire diff mcp:http://127.0.0.1:4711/mcp pdf-tools --json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  const withPlace = addPlaceOptions(
    command
      .usage('[LABEL=]ORIGIN SKILL [options]')
      .argument('[origin]', 'Origin of the skill')
      .argument('[skill]', 'Skill to compare')
      .argument('[more...]', 'With --installed: more installed skills')
      .option('--fetch', 'Read the current files to show text changes')
      .option('--installed', 'Compare installed skills with skillwire.lock'),
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
        if (options.installed === true) {
          const names = [origin, skill, ...more].filter((text) => text !== undefined);
          const { diffInstalled } = await import('../installed/diff-installed.ts');
          finish(await diffInstalled(names, await placeFor(options, cli), options, cli));
          return;
        }
        if (origin === undefined)
          throw usageError('diff takes ORIGIN and SKILL, or --installed. Run "skillwire diff --help".');
        const words = { origin, words: [skill, ...more], command: 'diff' };
        finish(await withSkill(words, options, cli, (session, chosen) => diff(session, chosen()[0], options, cli)));
      },
    );
}

async function diff(session: CommandSession, reference: string, options: DiffOptions, cli: Cli): Promise<ExitCode> {
  const { host, origins, signal } = session;
  const label = origins[0]?.label ?? '';
  const progress = startProgress(cli, `Contacting ${shownLabel(label, cli.cwd)}`);
  try {
    const { captured } = await findSkill(host, label, reference, signal, hasUniqueNames(origins[0]));
    const { state, approval } = await host.approvals.state(captured);
    if (approval === undefined) {
      throw new PolicyError(
        'NOT_APPROVED',
        `Nothing to compare: ${quoteText(captured.entry.frontmatter.name)} of ${quoteText(label)} was never approved. Approve it first with "skillwire approve".`,
        { data: { origin: label, uri: captured.entry.uri } },
      );
    }
    const change =
      state === 'current'
        ? undefined
        : await host.approvals.change(captured, { fetch: options.fetch === true, signal });
    progress.stop();
    if (options.json === true) {
      const facts = { origin: label, uri: captured.entry.uri, setDigest: captured.setDigest ?? null };
      const result = { version: 1, ...facts, changed: change !== undefined, approval: approvalJson(approval) };
      writeJson(cli, change === undefined ? result : { ...result, change });
    } else {
      writeText(change, displayText(captured.entry.frontmatter.name), options, cli);
    }
    return change === undefined ? exitCodes.ok : exitCodes.findings;
  } finally {
    progress.stop();
  }
}

function writeText(change: SkillChange | undefined, name: string, options: DiffOptions, cli: Cli): void {
  if (change === undefined) {
    cli.stderr.write(`${name} is unchanged since approval.\n`);
    return;
  }
  const onStderr = colorsFor(cli.stderr, cli, options);
  cli.stderr.write(`${name} changed since approval:\n${changeSummaryText(change, onStderr)}`);
  cli.stdout.write(fileDiffsText(change, colorsFor(cli.stdout, cli, options)));
}
