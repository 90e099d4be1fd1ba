/**
 * `skillwire origins`: gives origins a label, so that commands and hosts know them by it. The state keeps the origin and the
 * names of environment variables; a secret is never stored.
 */

import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../errors.ts';
import { given } from '../../given.ts';
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
import { displayText } from '../../skill/display-text.ts';
import { decisionTime } from '../../store/tombstones.ts';
import { deleteAllPinned } from '../../transforms/stored-pins.ts';
import { type Cli, type GlobalOptions, usageError } from '../cli.ts';
import { type Session, shownLabel, withHost } from '../open-host.ts';
import {
  addCredentialOptions,
  addStateOption,
  type ConnectionOptions,
  configOption,
  refuseSecretInUrl,
  trustOption,
} from '../options/connection-options.ts';
import { trustLine } from '../origins/trust-question.ts';
import { colorsFor } from '../render/color.ts';
import { writeJson } from '../render/json-text.ts';
import { type Column, writeTable } from '../render/table.ts';
import { counted } from '../render/values.ts';

type OriginsOptions = GlobalOptions & ConnectionOptions;

const help = `
Origins that are added are kept in the state and known in every folder; those of skillwire.json belong to a project.
remove also removes the approvals and the cached files of the origin, and unpins what was pinned of it.

Exit codes:
  0 done, 2 could not run, the label is taken or not known, 130 interrupted

Examples:
  skillwire origins add docs=mcp:https://skills.example.com/mcp --token-env SKILLS_TOKEN
  skillwire origins add tools="stdio:npx my-server"
  skillwire origins add site=https://docs.example.com
  skillwire origins list
  skillwire origins remove docs`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  command.usage('add LABEL=ORIGIN | remove LABEL | list [options]').addHelpText('after', help);
  const own = (name: string, summary: string): Command =>
    addStateOption(command.command(name).description(summary).addOption(configOption()).addOption(trustOption()));
  const run = async (self: Command, work: (session: Session, options: OriginsOptions) => Promise<ExitCode>) => {
    const options = self.optsWithGlobals<OriginsOptions>();
    finish(await withHost('none', options, cli, (session) => work(session, options)));
  };
  addCredentialOptions(own('add', 'keep an origin under a label'))
    .usage('LABEL=ORIGIN [options]')
    .argument('<label=origin>', 'the label and the origin')
    .addHelpText('after', help)
    .action((argument: string, _: unknown, self: Command) =>
      run(self, (session, options) => add(session, argument, options, cli)),
    );
  own('remove', 'forget an origin, its approvals, what was pinned of it and its cached files')
    .usage('LABEL [options]')
    .argument('<label>', 'of the origin')
    .addHelpText('after', help)
    .action((label: string, _: unknown, self: Command) =>
      run(self, (session, options) => remove(session, label, options, cli)),
    );
  own('list', 'list the origins of skillwire.json and those that were added')
    .addHelpText('after', help)
    .action((_: unknown, self: Command) => run(self, (session, options) => list(session, options, cli)));
}

async function add({ store, place }: Session, argument: string, options: OriginsOptions, cli: Cli): Promise<ExitCode> {
  const { label, location, from } = oneOrigin(argument, options, await place());
  const origin = locationText(location);
  if (from !== 'argument' || label === origin) {
    throw usageError(`"${argument}" names no new origin; write LABEL=ORIGIN, for example docs=./skills`, { argument });
  }
  if (location.kind === 'mcp') refuseSecretInUrl(location.url);
  const { credentials, server } = kindOf(location);
  if (credentials !== 'http' && (options.tokenEnv !== undefined || options.header !== undefined)) {
    const message = '--token-env and --header are for mcp: and mdp: origins and sites only; leave them out';
    throw usageError(message);
  }
  if (location.kind !== 'site' && options.siteFetch !== undefined) {
    throw usageError('--site-fetch is for sites only; leave it out');
  }
  const speaks = options.dialect !== undefined || options.forbidDialect !== undefined;
  if (server === undefined && speaks) {
    throw usageError('--dialect and --forbid-dialect are for MCP servers only; leave them out');
  }
  if (credentials !== 'program' && options.passEnv !== undefined) {
    throw usageError('--pass-env is for stdio: origins only; leave it out');
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
    throw usageError(`the label "${label}" is taken; run "skillwire origins remove ${label}" first`, { label });
  }
  if (options.json === true) {
    const { label: _label, location: _location, ...rest } = added;
    const shown = { from: 'added', era: 'auto', label, origin, ...given(rest) };
    writeJson(cli, { version: 1, added: shown });
  } else cli.stderr.write(`added: ${label} is ${displayText(origin)}; "skillwire list ${label}" lists its skills\n`);
  return exitCodes.ok;
}

async function remove(
  { host, store, configuration }: Session,
  label: string,
  options: OriginsOptions,
  cli: Cli,
): Promise<ExitCode> {
  const known = (await addedLabels(store.state)).includes(label);
  const found = await configuration();
  if (!known && found?.configuration.origins.some((origin) => origin.label === label) === true) {
    throw usageError(`"${label}" is an origin of "${found.file}"; remove it there`, { label, file: found.file });
  }
  const approvals = (await host.approvals.list()).filter((approval) => approval.label === label).length;
  const cached = (await host.cache.list()).filter((file) => file.label === label).length;
  const pinned = (await store.state.entries(['pinned', label])).length;
  if (!known && approvals === 0 && cached === 0 && pinned === 0) {
    throw usageError(`there is no origin "${label}"; "skillwire origins list" lists those that there are`, { label });
  }
  await host.origins.remove(label);
  await deleteAllPinned(store, label);
  await deleteAddedOrigin(store, label);
  if (options.json === true) {
    writeJson(cli, { version: 1, removed: { origin: label, approvals, files: cached, pinned } });
  } else {
    const gone = `${counted(approvals, 'approval')} and ${counted(cached, 'cached file')}`;
    const unpinned =
      pinned === 0 ? '' : `; ${counted(pinned, 'skill')} of it ${pinned === 1 ? 'is' : 'are'} pinned no longer`;
    cli.stderr.write(`removed: ${displayText(label)}, with ${gone}${unpinned}\n`);
  }
  return exitCodes.ok;
}

async function list({ place }: Session, options: OriginsOptions, cli: Cli): Promise<ExitCode> {
  const known = await place();
  const origins = everyKnownOrigin(known);
  if (options.json === true) {
    writeJson(cli, { version: 1, origins: origins.map(originJson) });
    return exitCodes.ok;
  }
  writeTable(origins, columns(cli.cwd), options, cli);
  const line = trustLine(known.found, cli.cwd);
  if (line !== '') cli.stderr.write(`${line}\n`);
  if (origins.length === 0) cli.stderr.write('no origins; "skillwire origins add LABEL=ORIGIN" adds one\n');
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
