/**
 * `skillwire origins`: stores origins under a label for commands and clients. The state contains the origin and names of variables, never a
 * secret.
 */
import type { Command } from 'commander';
import { definedFields } from '../../defined-fields.ts';
import { type ExitCode, exitCodes } from '../../errors.ts';
import {
  type AddedOrigin,
  addedLabels,
  addedOriginKey,
  deleteAddedOrigin,
  writeAddedOrigin,
} from '../../origins/added-origins.ts';
import { kindOf, locationText } from '../../origins/kinds.ts';
import type { NamedOrigin } from '../../origins/named-origin.ts';
import { everyKnownOrigin, oneOrigin } from '../../origins/resolve-reading.ts';
import { didYouMean } from '../../skill/did-you-mean.ts';
import { displayText } from '../../skill/display-text.ts';
import { decisionTime } from '../../store/tombstones.ts';
import { deleteAllPinned } from '../../transforms/stored-pins.ts';
import { type Cli, type GlobalOptions, usageError } from '../cli.ts';
import { type CommandSession, shownLabel, withHost } from '../open-host.ts';
import {
  addConfigOptions,
  addCredentialOptions,
  addStateOption,
  type ConnectionOptions,
  refuseSecretInUrl,
} from '../options/connection-options.ts';
import { trustLine } from '../origins/trust-question.ts';
import { writeJson } from '../render/json-text.ts';
import { type Column, writeTable } from '../render/table.ts';
import { counted } from '../render/values.ts';

type OriginsOptions = GlobalOptions & ConnectionOptions;

const help = `
Added origins are stored in the state and known in every folder. Those of skillwire.json belong to a project. "remove"
also removes the origin's approvals, pins and cached files.

Exit codes:
  0 done, 2 failed, or the label is taken or unknown, 130 interrupted

Examples:
  skillwire origins add docs=mcp:https://skills.example.com/mcp --token-env SKILLWIRE_TOKEN
  skillwire origins add tools="stdio:npx my-server"
  skillwire origins add site=https://docs.example.com
  skillwire origins list
  skillwire origins remove docs`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  command.usage('add LABEL=ORIGIN | remove LABEL | list [options]').addHelpText('after', help);
  const own = (name: string, summary: string): Command =>
    addStateOption(addConfigOptions(command.command(name).description(summary))).addHelpText('after', help);
  const run = async (self: Command, work: (session: CommandSession, options: OriginsOptions) => Promise<ExitCode>) => {
    const options = self.optsWithGlobals<OriginsOptions>();
    finish(await withHost('none', options, cli, (session) => work(session, options)));
  };
  addCredentialOptions(own('add', 'Add an origin'))
    .usage('LABEL=ORIGIN [options]')
    .argument('<label=origin>', 'Label and origin')
    .action((argument: string, _: unknown, self: Command) =>
      run(self, (session, options) => add(session, argument, options, cli)),
    );
  own('remove', 'Remove an origin, its approvals, pins and cached files')
    .usage('LABEL [options]')
    .argument('<label>', 'Label of the origin')
    .action((label: string, _: unknown, self: Command) =>
      run(self, (session, options) => remove(session, label, options, cli)),
    );
  own('list', 'List the origins of skillwire.json and added ones').action((_: unknown, self: Command) =>
    run(self, (session, options) => list(session, options, cli)),
  );
}

async function add(
  { store, place }: CommandSession,
  argument: string,
  options: OriginsOptions,
  cli: Cli,
): Promise<ExitCode> {
  const { label, location, from } = await oneOrigin(argument, options, await place());
  const origin = locationText(location);
  if (from !== 'argument' || label === origin) {
    throw usageError(`"${argument}" is not a new origin. Use LABEL=ORIGIN, for example docs=./skills.`, { argument });
  }
  if (location.kind === 'mcp') refuseSecretInUrl(location.url);
  const { credentials, server } = kindOf(location);
  if (credentials !== 'http' && (options.tokenEnv !== undefined || options.header !== undefined)) {
    throw usageError('--token-env and --header are only for mcp: and mdp: origins and sites. Remove them.');
  }
  if (location.kind !== 'site' && options.siteFetch !== undefined) {
    throw usageError('--site-fetch is only for sites. Remove it.');
  }
  const speaks = options.dialect !== undefined || options.forbidDialect !== undefined;
  if (server === undefined && speaks) {
    throw usageError('--dialect and --forbid-dialect are only for MCP servers. Remove them.');
  }
  if (credentials !== 'program' && options.passEnv !== undefined) {
    throw usageError('--pass-env is only for stdio: origins. Remove it.');
  }
  const added: AddedOrigin = {
    label,
    location,
    headers: options.header ?? [],
    passEnv: options.passEnv ?? [],
    insecureHttp: options.insecureHttp === true,
    assumeSkills: options.assumeSkills === true,
    addedAt: await decisionTime(store.state, addedOriginKey(label)),
    tokenEnv: options.tokenEnv,
    era: options.era,
    siteFetch: options.siteFetch,
    dialect: options.dialect,
    forbidDialects: options.forbidDialect,
  };
  if (!(await writeAddedOrigin(store.state, added))) {
    throw usageError(`The label "${label}" is taken. Run "skillwire origins remove ${label}" first.`, { label });
  }
  if (options.json === true) {
    const { label: _label, location: _location, ...rest } = added;
    const shown = { from: 'added', era: 'auto', label, origin, ...definedFields(rest) };
    writeJson(cli, { version: 1, added: shown });
  } else
    cli.stderr.write(`added: ${label} (${displayText(origin)}). List its skills with "skillwire list ${label}".\n`);
  return exitCodes.ok;
}

async function remove(
  { host, store, configuration }: CommandSession,
  label: string,
  options: OriginsOptions,
  cli: Cli,
): Promise<ExitCode> {
  const added = await addedLabels(store.state);
  const known = added.includes(label);
  const found = await configuration();
  if (!known && found?.configuration.origins.some((origin) => origin.label === label) === true) {
    throw usageError(`"${label}" is an origin of "${found.file}". Remove it there.`, { label, file: found.file });
  }
  const approvals = (await host.approvals.list()).filter((approval) => approval.label === label).length;
  const cached = (await host.cache.list()).filter((file) => file.label === label).length;
  const pinned = (await store.state.entries(['pinned', label])).length;
  if (!known && approvals === 0 && cached === 0 && pinned === 0) {
    throw usageError(`No origin "${label}".${didYouMean(label, added)} Run "skillwire origins list".`, { label });
  }
  await host.origins.remove(label);
  await deleteAllPinned(store, label);
  await deleteAddedOrigin(store, label);
  if (options.json === true) {
    writeJson(cli, { version: 1, removed: { origin: label, approvals, files: cached, pinned } });
  } else {
    const gone = `${counted(approvals, 'approval')}, ${counted(pinned, 'pin')} and ${counted(cached, 'cached file')}`;
    cli.stderr.write(`removed: ${displayText(label)}, with ${gone}\n`);
  }
  return exitCodes.ok;
}

async function list({ place }: CommandSession, options: OriginsOptions, cli: Cli): Promise<ExitCode> {
  const known = await place();
  const origins = everyKnownOrigin(known);
  if (options.json === true) {
    writeJson(cli, { version: 1, origins: origins.map(originJson) });
    return exitCodes.ok;
  }
  writeTable(origins, columns(cli.cwd), options, cli);
  const line = trustLine(known.found, cli.cwd);
  if (line !== '') cli.stderr.write(`${line}\n`);
  if (origins.length === 0) cli.stderr.write('No origins. Add one with "skillwire origins add LABEL=ORIGIN".\n');
  return exitCodes.ok;
}

function columns(cwd: string): readonly Column<NamedOrigin>[] {
  return [
    { title: 'LABEL', text: ({ label }) => label, style: (_, colors) => colors.bold },
    { title: 'FROM', text: ({ from }) => from },
    { title: 'TRUSTED', text: ({ trust }) => (trust.standing === 'untrusted' ? 'no' : 'yes') },
    { title: 'SECRETS', text: (origin) => variablesOf(origin).join(', ') || '-' },
    { title: 'ORIGIN', rest: true, text: ({ location }) => shownLabel(locationText(location), cwd) },
  ];
}

function variablesOf({ tokenEnv, headers, passEnv }: NamedOrigin): readonly string[] {
  const names = [...(tokenEnv === undefined ? [] : [tokenEnv]), ...headers.map(({ variable }) => variable), ...passEnv];
  return names.map((name) => `$${name}`);
}

function originJson(origin: NamedOrigin): object {
  const { label, location, from, tokenEnv, headers, passEnv, era, assumeSkills, siteFetch } = origin;
  const { dialect, forbidDialects } = origin;
  const trusted = origin.trust.standing !== 'untrusted';
  const shown = {
    label,
    origin: locationText(location),
    from,
    trusted,
    era,
    headers,
    passEnv,
    assumeSkills,
    siteFetch,
  };
  return { ...shown, tokenEnv, dialect, forbidDialects };
}
