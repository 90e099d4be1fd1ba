/** `skillwire revoke`: ends an approval. Works on what is stored, so the origin need not answer or even exist any more. */
import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../errors.ts';
import { displayText } from '../../skill/display-text.ts';
import type { Cli, GlobalOptions } from '../cli.ts';
import { matchStored, storedLabel } from '../decisions/stored-skill.ts';
import { withHost } from '../open-host.ts';
import { addStateOption, configOption, type StateOptions, trustOption } from '../options/connection-options.ts';
import { writeJson } from '../render/json-text.ts';

interface RevokeOptions extends GlobalOptions, StateOptions {
  readonly config?: string;
  readonly reason?: string;
}

const help = `
ORIGIN and SKILL are those of "skillwire approvals": the label or the origin as it was given, and the URI, the path or
the name of the skill. The origin is not asked.

Exit codes:
  0 revoked, 2 could not run or there is no such approval, 130 interrupted

Examples:
  skillwire revoke docs pdf-tools
  skillwire revoke mcp:http://127.0.0.1:4711/mcp skill://acme/refunds/SKILL.md --reason "no longer used"`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addStateOption(
    command
      .usage('ORIGIN SKILL [options]')
      .argument('<origin>', 'of the approval')
      .argument('<skill>', 'of the approval')
      .option('--reason <text>', 'why, for the audit')
      .addOption(configOption())
      .addOption(trustOption()),
  )
    .addHelpText('after', help)
    .action(async (origin: string, skill: string, _: unknown, self: Command) => {
      finish(await revoke(origin, skill, self.optsWithGlobals<RevokeOptions>(), cli));
    });
}

function revoke(origin: string, reference: string, options: RevokeOptions, cli: Cli): Promise<ExitCode> {
  return withHost('none', options, cli, async ({ host, place }) => {
    const approvals = await host.approvals.list();
    const label = await storedLabel(origin, approvals, place);
    const { uri, name } = matchStored(
      reference,
      approvals.filter((approval) => approval.label === label),
      `there is no approval of it at "${label}"; "skillwire approvals" lists those that there are`,
    );
    await host.approvals.revoke({ label, uri }, options.reason ?? '');
    if (options.json === true)
      writeJson(cli, { version: 1, revoked: { origin: label, uri, name } });
    else cli.stderr.write(`revoked: ${displayText(name)} of ${displayText(label)}\n`);
    return exitCodes.ok;
  });
}
