/** `skillwire logout`: ends logins at their authorization servers, and deletes their tokens in any case. */
import type { Command } from 'commander';
import type { Grant } from '../../credentials/grant.ts';
import { revokeGrant } from '../../credentials/revoke-grant.ts';
import { type ExitCode, exitCodes, SkillwireError } from '../../errors.ts';
import { issuerClient } from '../../origins/stored-logins.ts';
import { displayText } from '../../skill/display-text.ts';
import type { Cli, GlobalOptions } from '../cli.ts';
import { groups } from '../help/option-groups.ts';
import { withHost } from '../open-host.ts';
import { addConfigOptions, addStateOption, type ConnectionOptions } from '../options/connection-options.ts';
import { loginTarget } from '../origins/login-target.ts';
import { writeJson } from '../render/json-text.ts';

interface LogoutOptions extends GlobalOptions, ConnectionOptions {}

const help = `
Without ORIGIN, all logins end. The identity provider is asked to revoke the tokens; they are deleted here in any case.

Exit codes:
  0 logged out, 2 failed, 3 there is no such login, 130 interrupted

Examples:
  skillwire logout mcp:https://skills.example.com/mcp
  skillwire logout`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  command.optionsGroup(groups.common);
  addStateOption(addConfigOptions(command))
    .usage('[ORIGIN] [options]')
    .argument('[origin]', 'Origin of the login')
    .addHelpText('after', help)
    .action(async (origin: string | undefined, _: unknown, self: Command) => {
      finish(await logout(origin, self.optsWithGlobals<LogoutOptions>(), cli));
    });
}

function logout(argument: string | undefined, options: LogoutOptions, cli: Cli): Promise<ExitCode> {
  return withHost('none', options, cli, async ({ resolve }) => {
    const { usersLogins } = await import('../../node/users-logins.ts');
    const { book } = await usersLogins(options, cli)();
    const grants = argument === undefined ? await book.list() : [await oneGrant(argument)];
    const ended = [];
    for (const grant of grants) {
      const revoked = await revokedAtServer(grant);
      await book.remove(grant.url);
      ended.push({ origin: grant.origin, issuer: grant.issuer, revoked });
    }
    if (options.json === true) writeJson(cli, { version: 1, loggedOut: ended });
    else if (ended.length === 0) cli.stderr.write('No logins.\n');
    else
      for (const { origin, issuer, revoked } of ended)
        cli.stderr.write(
          `Logged out: ${displayText(origin)}${revoked ? '' : `. ${displayText(issuer)} did not revoke the tokens, so they may be valid until they expire.`}\n`,
        );
    return exitCodes.ok;

    async function oneGrant(text: string): Promise<Grant> {
      const { url, origin } = loginTarget(text, await resolve([text]));
      const grant = await book.get(url);
      if (grant !== undefined) return grant;
      throw new SkillwireError('NOT_AUTHORIZED', `You are not logged in to "${origin}". Run "skillwire whoami".`, {
        data: { url, reason: 'not-logged-in' },
      });
    }
  });
}

async function revokedAtServer(grant: Grant): Promise<boolean> {
  const client = issuerClient(grant.issuer);
  try {
    return await revokeGrant(grant, client.fetch as typeof fetch);
  } catch (error) {
    // The tokens are deleted here even if their server does not answer.
    if (error instanceof SkillwireError) return false;
    throw error;
  } finally {
    client.close();
  }
}
