/**
 * `skillwire token`: manages the tokens of a server and their profiles. A token is printed once; the state stores its hash. Changes take
 * effect with the next request to a running server.
 */
import type { Command } from 'commander';
import { type ExitCode, exitCodes, type SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { spanMs } from '../../origins/time-span.ts';
import { createRevocations, type Revoked } from '../../serving/access/revocations.ts';
import { createTokenBook, type NewToken, type TokenFacts } from '../../serving/access/token-book.ts';
import { didYouMean } from '../../skill/did-you-mean.ts';
import { displayText } from '../../skill/display-text.ts';
import { type Cli, type GlobalOptions, usageError } from '../cli.ts';
import { groups } from '../help/option-groups.ts';
import { type CommandSession, withHost } from '../open-host.ts';
import { addConfigOptions, addStateOption, type StateOptions } from '../options/connection-options.ts';
import { writeJson } from '../render/json-text.ts';
import { type Column, writeTable } from '../render/table.ts';
import { counted, minuteText } from '../render/values.ts';

interface TokenOptions extends GlobalOptions, StateOptions {
  readonly config?: string;
  readonly profile?: string;
  readonly expires?: Expiry;
  readonly operator?: boolean;
  readonly approver?: boolean;
  readonly reason?: string;
  readonly subject?: string;
  readonly jti?: string;
  readonly issuer?: string;
}

type Expiry = { readonly ms: number } | 'never';

const defaultDays = 90;

const help = `
PROFILE is one of "profiles" in skillwire.json. "add" prints only the token to stdout; it is not shown again. Clients send
it as "Authorization: Bearer TOKEN". --operator also opens /metrics and /status. --approver allows approving and denying
the skills of the profile on the page.

People and programs of an identity provider ("access.oidc") are revoked by --subject, single tokens by --jti. They stay
revoked until "restore". Running servers refuse them at the next request and end their streams.

Exit codes:
  0 done, 2 failed, name taken, or no such profile or token, 130 interrupted

Examples:
  skillwire token add ci --profile readers
  skillwire token add oncall --profile everything --operator --expires 12h
  skillwire token add dana --profile everything --approver
  skillwire token list
  skillwire token revoke ci --reason "left in a log"
  skillwire token revoke --subject 248289761001 --reason "left the company"
  skillwire token restore --subject 248289761001`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  command
    .usage('add NAME --profile PROFILE | revoke NAME | revoke --subject SUBJECT | restore | list [options]')
    .addHelpText('after', help);
  const own = (name: string, summary: string): Command =>
    addStateOption(
      addConfigOptions(command.command(name).description(summary).optionsGroup(groups.common)),
    ).addHelpText('after', help);
  const run = async (self: Command, work: (session: CommandSession, options: TokenOptions) => Promise<ExitCode>) => {
    const options = self.optsWithGlobals<TokenOptions>();
    finish(await withHost('none', options, cli, (session) => work(session, options)));
  };
  own('add', 'Create and print a token')
    .usage('NAME --profile PROFILE [options]')
    .argument('<name>', 'Person or purpose', parseName)
    .requiredOption('--profile <name>', 'Profile of the token')
    .option('--expires <span>', `Validity: 30d, 12h, 45m or never (default: ${defaultDays}d)`, parseExpiry)
    .option('--operator', 'Allow /metrics and /status')
    .option('--approver', 'Allow approving and denying on the page')
    .option('--reason <text>', 'Reason for the audit')
    .action((name: string, _: unknown, self: Command) =>
      run(self, (session, options) => add(session, name, options, cli)),
    );
  addRevokedOptions(own('revoke', 'Revoke a token, or a person or token of an identity provider'))
    .usage('NAME|ID | --subject SUBJECT | --jti ID [options]')
    .argument('[token]', 'Name or id, as in "skillwire token list"')
    .action((token: string | undefined, _: unknown, self: Command) =>
      run(self, (session, options) =>
        token === undefined ? revokeAccess(session, options, cli) : revoke(session, token, options, cli),
      ),
    );
  addRevokedOptions(own('restore', 'Accept a person or token of an identity provider again'))
    .usage('--subject SUBJECT | --jti ID [options]')
    .action((_: unknown, self: Command) => run(self, (session, options) => restoreAccess(session, options, cli)));
  own('list', 'List tokens without their values')
    .usage('[options]')
    .action((_: unknown, self: Command) => run(self, (session, options) => list(session, options, cli)));
}

function addRevokedOptions(command: Command): Command {
  return command
    .option('--subject <subject>', 'Person or program, as its identity provider names it', parseId)
    .option('--jti <id>', 'One token of an identity provider', parseId)
    .option('--issuer <url>', 'Only of this identity provider (default: all)', parseId)
    .option('--reason <text>', 'Reason for the audit');
}

function parseId(text: string): string {
  if (text !== '' && text.length <= limits.policy.patternCharacters) return text;
  throw usageError(`Use 1 to ${limits.policy.patternCharacters} characters for --subject, --jti and --issuer.`);
}

async function add(session: CommandSession, name: string, options: TokenOptions, cli: Cli) {
  const { store, configuration, confirmation } = session;
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
  if (options.json === true) writeJson(cli, { version: 1, token, added: facts, ...(await confirmation()) });
  else {
    cli.stdout.write(`${token}\n`);
    const until = facts.expiresAt === undefined ? 'never expires' : `valid until ${facts.expiresAt}`;
    cli.stderr.write(`added: ${displayText(name)} with profile ${profile}, ${until}. The token is not shown again.\n`);
  }
  return exitCodes.ok;
}

async function revoke(
  { store, confirmation }: CommandSession,
  reference: string,
  options: TokenOptions,
  cli: Cli,
): Promise<ExitCode> {
  const book = createTokenBook(store);
  const facts = await book.revoke(reference, options.reason ?? '');
  if (facts === undefined) {
    const near = didYouMean(
      reference,
      (await book.list()).map(({ name }) => name),
    );
    throw usageError(`No token "${reference}".${near} Run "skillwire token list".`, { token: reference });
  }
  if (options.json === true) writeJson(cli, { version: 1, revoked: facts, ...(await confirmation()) });
  else cli.stderr.write(`revoked: ${displayText(facts.name)}\n`);
  return exitCodes.ok;
}

async function revokeAccess(
  { store, confirmation }: CommandSession,
  options: TokenOptions,
  cli: Cli,
): Promise<ExitCode> {
  const revoked = revokedIn(options, 'Name a token');
  await createRevocations(store).add(revoked, options.reason ?? '');
  if (options.json === true) writeJson(cli, { version: 1, revoked, ...(await confirmation()) });
  else cli.stderr.write(`revoked: ${revokedText(revoked)}\n`);
  return exitCodes.ok;
}

async function restoreAccess(
  { store, confirmation }: CommandSession,
  options: TokenOptions,
  cli: Cli,
): Promise<ExitCode> {
  const restored = revokedIn(options, 'Say what to restore');
  if (!(await createRevocations(store).restore(restored, options.reason ?? '')))
    throw usageError(`Not revoked: ${revokedText(restored)}. Run "skillwire token list".`, { restored });
  if (options.json === true) writeJson(cli, { version: 1, restored, ...(await confirmation()) });
  else cli.stderr.write(`restored: ${revokedText(restored)}\n`);
  return exitCodes.ok;
}

function revokedIn({ subject, jti, issuer }: TokenOptions, missing: string): Revoked {
  const [id, ...more] = [subject, jti].filter((text) => text !== undefined);
  if (id === undefined || more.length > 0) throw usageError(`${missing}, or use one of --subject and --jti.`);
  return { kind: subject === undefined ? 'jti' : 'subject', issuer, id };
}

function revokedText({ kind, issuer, id }: Revoked): string {
  const of = issuer === undefined ? '' : ` of ${displayText(issuer)}`;
  return `${kind === 'jti' ? 'token' : 'subject'} ${displayText(id)}${of}`;
}

async function list({ store }: CommandSession, options: TokenOptions, cli: Cli): Promise<ExitCode> {
  const [tokens, revoked] = await Promise.all([createTokenBook(store).list(), createRevocations(store).list()]);
  if (options.json === true) {
    writeJson(cli, { version: 1, tokens, revoked });
    return exitCodes.ok;
  }
  writeTable(tokens, columns, options, cli);
  for (const one of revoked) cli.stdout.write(`revoked: ${revokedText(one)}, since ${minuteText(one.at)}\n`);
  cli.stderr.write(`${counted(tokens.length, 'token')}\n`);
  return exitCodes.ok;
}

const columns: readonly Column<TokenFacts>[] = [
  { title: 'NAME', text: ({ name }) => name, style: (_, colors) => colors.bold },
  { title: 'ID', text: ({ id }) => id },
  { title: 'PROFILE', rest: true, text: profileText },
  { title: 'SINCE', text: ({ addedAt }) => minuteText(addedAt) },
  {
    title: 'UNTIL',
    text: ({ expiresAt }) => {
      if (expiresAt === undefined) return '-';
      return Date.parse(expiresAt) <= Date.now() ? 'expired' : minuteText(expiresAt);
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
      ? 'There is no skillwire.json. Name one with --config.'
      : profiles.length === 0
        ? `"${file}" has no "profiles". Add {"profiles": {"${profile}": {}}}.`
        : `"${file}" has ${profiles.map((name) => `"${name}"`).join(', ')}.`;
  return usageError(`No profile "${profile}".${didYouMean(profile, profiles)} ${known}`, { profile, profiles });
}

function parseName(text: string): string {
  if (text.length <= limits.access.nameCharacters && /^[^\s\p{C}](?:[^\p{C}]*[^\s\p{C}])?$/u.test(text)) return text;
  throw usageError(
    `"${displayText(text)}" is not a token name. Use up to ${limits.access.nameCharacters} visible characters.`,
  );
}

function parseExpiry(text: string): Expiry {
  if (text === 'never') return 'never';
  const ms = spanMs(text);
  if (ms !== undefined && ms <= limits.access.tokenMs) return { ms };
  throw usageError(`--expires "${text}" is not a duration. Use 30d, 12h, 45m or never.`, { text });
}
