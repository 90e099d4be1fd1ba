/** `skillwire login`: logs in to a protected origin, so that every command and a gateway of this user can read it. */
import type { Command } from 'commander';
import { unlessAborted } from '../../async/unless-aborted.ts';
import { pastedAnswer } from '../../credentials/login.ts';
import { type ExitCode, exitCodes } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { secretIn } from '../../origins/credentials.ts';
import { displayText } from '../../skill/display-text.ts';
import { type Cli, type GlobalOptions, usageError } from '../cli.ts';
import { groups, rareOption } from '../help/option-groups.ts';
import { withHost } from '../open-host.ts';
import {
  addConfigOptions,
  addStateOption,
  type ConnectionOptions,
  insecureOption,
  parseVariable,
} from '../options/connection-options.ts';
import { loginTarget } from '../origins/login-target.ts';
import { writeJson } from '../render/json-text.ts';
import { loginJson, loginText } from '../render/login-text.ts';

interface LoginCommandOptions extends GlobalOptions, ConnectionOptions {
  readonly clientId?: string;
  readonly clientSecretEnv?: string;
  readonly clientMetadataUrl?: string;
  readonly issuer?: string;
  readonly scope?: string;
  readonly resource: boolean;
  readonly callbackPort?: number;
  readonly browser: boolean;
  readonly device?: boolean;
}

const help = `
ORIGIN is mcp:URL, the address of a site, or a label. The browser opens the page of the server's own identity provider.
Tokens are stored in your state folder, readable by you alone, and are sent to this origin only.

Without --client-id, the client id metadata document is used if the identity provider supports it, else Skillwire
registers itself. Log in again with --scope to add scopes. For Git, use Git's own credential helpers.

Exit codes:
  0 logged in, 2 failed, 3 refused, 4 unreachable or nobody logged in, 5 address not allowed, 130 interrupted

Examples:
  skillwire login mcp:https://skills.example.com/mcp
  skillwire login mcp:https://skills.example.com/mcp --client-id 7f3a --no-browser
  skillwire login docs --scope "skills skills:write"`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  command.optionsGroup(groups.common);
  addStateOption(addConfigOptions(command))
    .usage('ORIGIN [options]')
    .argument('<origin>', 'Origin to log in to')
    .option('--client-id <id>', 'Client id from the operator of the identity provider')
    .option(
      '--client-secret-env <name>',
      'Variable with the secret of the client',
      parseVariable('--client-secret-env'),
    )
    .option('--scope <scopes>', 'Scopes to request, separated by spaces', parseScope)
    .option('--no-browser', 'Print the address and take the pasted one')
    .option('--device', 'Log in on another device, with a code')
    .addOption(
      rareOption('common', '--client-metadata-url <url>', 'Client id metadata document').argParser(parseDocument),
    )
    .addOption(
      rareOption('common', '--issuer <url>', 'Identity provider, if the server names several').argParser(parseIssuer),
    )
    .addOption(rareOption('common', '--callback-port <port>', 'Port of the redirect address').argParser(parsePort))
    .addOption(rareOption('common', '--no-resource', 'Send no resource indicator, for Entra ID'))
    .addOption(insecureOption())
    .addHelpText('after', help)
    .action(async (origin: string, _: unknown, self: Command) => {
      finish(await login(origin, self.optsWithGlobals<LoginCommandOptions>(), cli));
    });
}

function login(argument: string, options: LoginCommandOptions, cli: Cli): Promise<ExitCode> {
  const { clientId, clientSecretEnv, clientMetadataUrl, issuer, scope, callbackPort, device } = options;
  if (clientSecretEnv !== undefined && clientId === undefined)
    throw usageError('--client-secret-env needs --client-id. Add the id that belongs to the secret.');
  const clientSecret =
    clientSecretEnv === undefined ? undefined : secretIn(clientSecretEnv, 'the secret of the client', cli.env);
  return withHost('none', options, cli, async ({ resolve, signal }) => {
    const target = loginTarget(argument, await resolve([argument]));
    const [{ loginToOrigin }, { usersLogins }] = await Promise.all([
      import('../../node/login/login-to-origin.ts'),
      import('../../node/users-logins.ts'),
    ]);
    const given = { clientId, clientSecret, clientMetadataUrl, issuer, scope, callbackPort, device };
    const grant = await loginToOrigin(
      {
        ...target,
        ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
        sendResource: options.resource,
        signal,
        show: (url, redirectUrl, state, until) => showAddress(url, { redirectUrl, state, until }, options, cli),
        showCode: (url, code) =>
          cli.stderr.write(`Open ${displayText(url)} on any device and enter the code ${displayText(code)}\n`),
      },
      await usersLogins(options, cli)(),
    );
    if (options.json === true) writeJson(cli, { version: 1, login: loginJson(grant) });
    else cli.stderr.write(`Logged in: ${loginText(grant)}\n`);
    return exitCodes.ok;
  });
}

interface Redirect {
  readonly redirectUrl: string;
  readonly state: string;
  readonly until: AbortSignal;
}

/** @returns the parameters of a pasted address; `undefined` if the browser brings them */
async function showAddress(url: URL, redirect: Redirect, options: LoginCommandOptions, cli: Cli) {
  const { until } = redirect;
  if (options.browser) {
    const { openBrowser } = await import('../../node/login/open-browser.ts');
    cli.stderr.write(`A browser opens. If it does not, open this address:\n${url.href}\n`);
    await unlessAborted(openBrowser(url, cli.env), until);
    cli.stderr.write('No browser opened here. Open the address above in one.\n');
  } else cli.stderr.write(`Open this address in a browser:\n${url.href}\n`);
  return cli.ask === undefined ? undefined : askForAddress(cli.ask, redirect);
}

async function askForAddress(ask: NonNullable<Cli['ask']>, { redirectUrl, state, until }: Redirect) {
  const question = 'Then paste the address of the last page, even if that page shows an error: ';
  const pasted = await ask(question, until);
  if (pasted.length > limits.credentials.pastedCharacters)
    throw usageError('The pasted address is too long. Copy it again.');
  return pastedAnswer(pasted, redirectUrl, state);
}

function parseScope(text: string): string {
  const scopes = text.trim().split(/\s+/);
  if (scopes.every((one) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(one)) && text.length <= limits.policy.patternCharacters)
    return scopes.join(' ');
  throw usageError('--scope takes scopes separated by spaces, for example "skills skills:write".');
}

function parseDocument(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' && url.pathname !== '/' && url.hash === '') return text;
  throw usageError('--client-metadata-url takes an https: address with a path.');
}

function parseIssuer(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw usageError('--issuer takes the address of the identity provider, for example https://login.example.com.');
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw usageError('--callback-port takes a number from 1 to 65535.');
}
