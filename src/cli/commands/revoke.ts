/** `skillwire revoke`: revokes a stored approval. The origin need not answer or exist any more. */
import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../errors.ts';
import { displayText } from '../../skill/display-text.ts';
import { type ChosenWords, withSkill } from '../chosen-skill.ts';
import { type Cli, type GlobalOptions, runs } from '../cli.ts';
import { matchStored, storedLabel } from '../decisions/stored-skill.ts';
import type { CommandSession } from '../open-host.ts';
import { addConfigOptions, addStateOption, type StateOptions } from '../options/connection-options.ts';
import { writeJson } from '../render/json-text.ts';

interface RevokeOptions extends GlobalOptions, StateOptions {
  readonly config?: string;
  readonly reason?: string;
}

const help = `
ORIGIN and SKILL are as in "skillwire approvals": a label or origin, and the URI, path or name of the skill. Contacts no
origin.

Exit codes:
  0 revoked, 2 failed or no such approval, 130 interrupted

Examples:
  skillwire revoke docs pdf-tools
  skillwire revoke mcp:http://127.0.0.1:4711/mcp skill://acme/refunds/SKILL.md --reason "no longer used"`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addStateOption(addConfigOptions(command))
    .usage('ORIGIN SKILL [options]')
    .argument('<origin>', 'Origin of the approval')
    .argument('[skill]', 'Skill of the approval')
    .option('--reason <text>', 'Reason for the audit')
    .addHelpText('after', help)
    .action(runs(cli, finish, revoke));
}

function revoke(origin: string, skill: string | undefined, options: RevokeOptions, cli: Cli): Promise<ExitCode> {
  const words = { origin, words: [skill], command: 'revoke' };
  const run = async ({ host, place, confirmation }: CommandSession, chosenWords: ChosenWords): Promise<ExitCode> => {
    const approvals = await host.approvals.list();
    const label = await storedLabel(origin, approvals, place);
    const [reference] = chosenWords();
    const { uri, name } = matchStored(
      reference,
      approvals.filter((approval) => approval.label === label),
      `"${label}" has no approval of it. Run "skillwire approvals".`,
    );
    await host.approvals.revoke({ label, uri }, options.reason ?? '');
    if (options.json === true)
      writeJson(cli, { version: 1, revoked: { origin: label, uri, name }, ...(await confirmation()) });
    else cli.stderr.write(`revoked: ${displayText(name)} of ${displayText(label)}\n`);
    return exitCodes.ok;
  };
  return withSkill(words, options, cli, run, { wanted: 'none' });
}
