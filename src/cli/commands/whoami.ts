/** `skillwire whoami`: the logins of the user, without their tokens. Contacts nobody. */
import type { Command } from 'commander';
import { type ExitCode, exitCodes, SkillwireError } from '../../errors.ts';
import type { Cli, GlobalOptions } from '../cli.ts';
import { groups } from '../help/option-groups.ts';
import { withHost } from '../open-host.ts';
import { addConfigOptions, addStateOption, type ConnectionOptions } from '../options/connection-options.ts';
import { loginTarget } from '../origins/login-target.ts';
import { writeJson } from '../render/json-text.ts';
import { loginJson, loginText } from '../render/login-text.ts';

interface WhoamiOptions extends GlobalOptions, ConnectionOptions {}

const help = `
Contacts no origin. Origins with a token in skillwire.json or --token-env use that token, not the login.

Exit codes:
  0 ok, 2 failed, 3 not logged in to ORIGIN, 130 interrupted

Examples:
  skillwire whoami
  skillwire whoami mcp:https://skills.example.com/mcp --json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  command.optionsGroup(groups.common);
  addStateOption(addConfigOptions(command))
    .usage('[ORIGIN] [options]')
    .argument('[origin]', 'Only the login to this origin')
    .addHelpText('after', help)
    .action(async (origin: string | undefined, _: unknown, self: Command) => {
      finish(await whoami(origin, self.optsWithGlobals<WhoamiOptions>(), cli));
    });
}

function whoami(argument: string | undefined, options: WhoamiOptions, cli: Cli): Promise<ExitCode> {
  return withHost('none', options, cli, async ({ resolve }) => {
    const { usersLogins } = await import('../../node/users-logins.ts');
    const { book } = await usersLogins(options, cli)();
    const target = argument === undefined ? undefined : loginTarget(argument, await resolve([argument]));
    const grants = (await book.list()).filter(({ url }) => target === undefined || url === target.url);
    if (target !== undefined && grants.length === 0)
      throw new SkillwireError(
        'NOT_AUTHORIZED',
        `You are not logged in to "${target.origin}". Run "skillwire login ${target.origin}".`,
        { data: { url: target.url, reason: 'not-logged-in' } },
      );
    if (options.json === true) writeJson(cli, { version: 1, logins: grants.map(loginJson) });
    else if (grants.length === 0) cli.stdout.write('No logins. Run "skillwire login ORIGIN".\n');
    else for (const grant of grants) cli.stdout.write(`${loginText(grant)}\n`);
    return exitCodes.ok;
  });
}
