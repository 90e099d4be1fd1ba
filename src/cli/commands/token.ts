/**
 * `skillwire token`: who may use a server that asks for tokens, and with which profile. A token is printed once, when it is added; the
 * state keeps its hash. What is added or revoked counts from the next request on, also where the server runs already.
 */
import type { Command } from 'commander';
import { type ExitCode, exitCodes, SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { spanMs } from '../../origins/time-span.ts';
import { createTokenBook, type NewToken, type TokenFacts } from '../../serving/access/token-book.ts';
import { displayText } from '../../skill/display-text.ts';
import { type Cli, type GlobalOptions, usageError } from '../cli.ts';
import { type Session, withHost } from '../open-host.ts';
import { addStateOption, configOption, type StateOptions, trustOption } from '../options/connection-options.ts';
import { colorsFor } from '../render/color.ts';
import { writeJson } from '../render/json-text.ts';
import { type Column, writeTable } from '../render/table.ts';
import { counted } from '../render/values.ts';

interface TokenOptions extends GlobalOptions, StateOptions {
  readonly config?: string;
  readonly profile?: string;
  readonly expires?: Expiry;
  readonly operator?: boolean;
  readonly approver?: boolean;
  readonly reason?: string;
}

type Expiry = { readonly ms: number } | 'never';

const defaultDays = 90;

const help = `
PROFILE is one of "profiles" in skillwire.json. add prints the token, and nothing else, to stdout; it is not shown again.
Clients send it as "Authorization: Bearer TOKEN". With --operator it also opens /metrics and /status,
with --approver its holder may approve and deny, on the page, the skills that the profile shows.

Exit codes:
  0 done, 2 could not run, the name is taken, there is no such profile or token, 130 interrupted

Examples:
  skillwire token add ci --profile readers
  skillwire token add oncall --profile everything --operator --expires 12h
  skillwire token add dana --profile everything --approver
  skillwire token list
  skillwire token revoke ci --reason "left in a log"`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  command.usage('add NAME --profile PROFILE | revoke NAME | list [options]').addHelpText('after', help);
  const own = (name: string, summary: string): Command =>
    addStateOption(command.command(name).description(summary)).addHelpText('after', help);
  const run = async (self: Command, work: (session: Session, options: TokenOptions) => Promise<ExitCode>) => {
    const options = self.optsWithGlobals<TokenOptions>();
    finish(await withHost('none', options, cli, (session) => work(session, options)));
  };
  own('add', 'make a token and print it')
    .usage('NAME --profile PROFILE [options]')
    .argument('<name>', 'who has it, or for what', parseName)
    .requiredOption('--profile <name>', 'what it shows')
    .option('--expires <span>', `how long it is valid: 30d, 12h, 45m or never (default: ${defaultDays}d)`, parseExpiry)
    .option('--operator', 'let it see how the server does, too')
    .option('--approver', 'let it approve and deny on the page, too')
    .option('--reason <text>', 'why, for the audit')
    .addOption(configOption())
    .addOption(trustOption())
    .action((name: string, _: unknown, self: Command) =>
      run(self, (session, options) => add(session, name, options, cli)),
    );
  own('revoke', 'end a token, from the next request on')
    .usage('NAME|ID [options]')
    .argument('<token>', 'its name or id, as "skillwire token list" shows it')
    .option('--reason <text>', 'why, for the audit')
    .action((token: string, _: unknown, self: Command) =>
      run(self, (session, options) => revoke(session, token, options, cli)),
    );
  own('list', 'list tokens, without the tokens themselves')
    .usage('[options]')
    .action((_: unknown, self: Command) => run(self, (session, options) => list(session, options, cli)));
}

async function add({ store, configuration }: Session, name: string, options: TokenOptions, cli: Cli) {
  const {
    profile = '',
    expires = { ms: defaultDays * 24 * 60 * 60_000 },
    operator = false,
    approver = false,
    reason,
  } = options;
  const found = await configuration();
  const profiles = (found?.configuration.profiles ?? []).map((one) => one.name);
  if (!profiles.includes(profile)) throw noProfile(profile, profiles, found?.file);
  const wanted: NewToken = {
    name,
    profile,
    operator,
    approver,
    ...(expires === 'never' ? {} : { expiresAt: new Date(Date.now() + expires.ms) }),
    reason,
  };
  const { token, facts } = await createTokenBook(store).add(wanted);
  if (options.json === true) writeJson(cli, { version: 1, token, added: facts });
  else {
    cli.stdout.write(`${token}\n`);
    const until = facts.expiresAt === undefined ? 'does not end by itself' : `valid until ${facts.expiresAt}`;
    cli.stderr.write(`added: ${displayText(name)} with the profile ${profile}, ${until}; it is not shown again\n`);
  }
  return exitCodes.ok;
}

async function revoke({ store }: Session, reference: string, options: TokenOptions, cli: Cli): Promise<ExitCode> {
  const facts = await createTokenBook(store).revoke(reference, options.reason ?? '');
  if (facts === undefined)
    throw usageError(`there is no token "${reference}"; "skillwire token list" lists those that there are`, { token: reference });
  if (options.json === true) writeJson(cli, { version: 1, revoked: facts });
  else cli.stderr.write(`revoked: ${displayText(facts.name)}\n`);
  return exitCodes.ok;
}

async function list({ store }: Session, options: TokenOptions, cli: Cli): Promise<ExitCode> {
  const tokens = await createTokenBook(store).list();
  if (options.json === true) {
    writeJson(cli, { version: 1, tokens });
    return exitCodes.ok;
  }
  writeTable(tokens, columns, options, cli);
  cli.stderr.write(`${counted(tokens.length, 'token')}\n`);
  return exitCodes.ok;
}

const minute = (time: string): string => time.slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ');

const columns: readonly Column<TokenFacts>[] = [
  { title: 'NAME', text: ({ name }) => name, style: (_, colors) => colors.bold },
  { title: 'ID', text: ({ id }) => id },
  { title: 'PROFILE', rest: true, text: profileText },
  { title: 'SINCE', text: ({ addedAt }) => minute(addedAt) },
  {
    title: 'UNTIL',
    text: ({ expiresAt }) => {
      if (expiresAt === undefined) return '-';
      return Date.parse(expiresAt) <= Date.now() ? 'expired' : minute(expiresAt);
    },
  },
];

function profileText({ profile, operator, approver }: TokenFacts): string {
  const rights = [operator ? 'operator' : '', approver ? 'approver' : ''].filter((right) => right !== '');
  return rights.length === 0 ? profile : `${profile} (${rights.join(', ')})`;
}

function noProfile(profile: string, profiles: readonly string[], file: string | undefined): SkillwireError {
  const known =
    file === undefined
      ? 'there is no skillwire.json; name one with --config'
      : profiles.length === 0
        ? `"${file}" has no "profiles"; add {"profiles": {"${profile}": {}}}`
        : `"${file}" has ${profiles.map((name) => `"${name}"`).join(', ')}`;
  return usageError(`there is no profile "${profile}": ${known}`, { profile, profiles });
}

function parseName(text: string): string {
  if (text.length <= limits.access.nameCharacters && /^[^\s\p{C}](?:[^\p{C}]*[^\s\p{C}])?$/u.test(text)) return text;
  throw usageError(`"${displayText(text)}" is no name of a token; write up to ${limits.access.nameCharacters} visible characters`);
}

function parseExpiry(text: string): Expiry {
  if (text === 'never') return 'never';
  const ms = spanMs(text);
  if (ms !== undefined && ms <= limits.access.tokenMs) return { ms };
  throw usageError(`--expires "${text}" is no time; write 30d, 12h, 45m or never`, { text });
}
