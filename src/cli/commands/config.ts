/**
 * `skillwire config check`: reads a configuration as `serve` would and shows every origin with its address and problems. Connects to
 * nothing, starts nothing, shows no secret.
 */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import type { Command } from 'commander';
import { type ExitCode, exitCodes, SkillwireError } from '../../errors.ts';
import type { Configuration } from '../../gateway/configuration.ts';
import { type FoundConfiguration, findConfiguration } from '../../node/find-configuration.ts';
import { shownPath } from '../../node/shown-path.ts';
import { locationText } from '../../origins/kinds.ts';
import type { NamedOrigin } from '../../origins/named-origin.ts';
import { secretsOf } from '../../origins/open-origin.ts';
import { configuredOrigin } from '../../origins/resolve-reading.ts';
import { displayText } from '../../skill/display-text.ts';
import { type Cli, type GlobalOptions, runs } from '../cli.ts';
import {
  addStateOption,
  addTrustOption,
  type ConnectionOptions,
  type StateOptions,
} from '../options/connection-options.ts';
import { isTrusted, trustLine } from '../origins/trust-question.ts';
import { colorsFor } from '../render/color.ts';
import { jsonText } from '../render/json-text.ts';
import { type Column, tableText, tableWidth } from '../render/table.ts';
import { counted } from '../render/values.ts';

type CheckOptions = GlobalOptions & StateOptions & Pick<ConnectionOptions, 'trustConfig'>;

interface CheckedOrigin {
  readonly label: string;
  readonly kind: string;
  /** The address, the command or the folder. */
  readonly place: string;
  /** Why it cannot be served. */
  readonly problems: readonly string[];
}

const help = `
FILE is a configuration (default: the nearest skillwire.json upwards, else your own).

Exit codes:
  0 all origins can be served, 1 an origin cannot (missing folder, unset variable, not trusted), 2 the file is invalid or
  missing

Examples:
  skillwire config check
  skillwire config check deploy/skillwire.json --json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  command.usage('check [FILE] [options]').addHelpText('after', help);
  addTrustOption(addStateOption(command.command('check').description('Check a configuration without serving it')))
    .argument('[file]', 'Configuration file')
    .addHelpText('after', help)
    .action(runs(cli, finish, check));
}

async function check(named: string | undefined, options: CheckOptions, cli: Cli): Promise<ExitCode> {
  const { cwd, env, stdout, stderr } = cli;
  const place = { cwd, env, home: homedir(), platform: process.platform };
  const { judgedHere } = await import('../origins/trusted-origins.ts');
  const found = await judgedHere(await findConfiguration(place, named), options, cli);
  if (found === undefined)
    throw new SkillwireError(
      'CONFIG_NOT_FOUND',
      'No skillwire.json here, above or in your home. Name one: skillwire config check FILE',
    );
  const origins = found.configuration.origins.map((origin) =>
    checked(configuredOrigin(origin, { cwd, home: place.home, found }), cli),
  );
  const problems = origins.flatMap(({ label, problems: own }) => own.map((text) => `${label}: ${text}`));
  if (options.json === true) {
    stdout.write(
      `${jsonText({ version: 1, file: found.file, trusted: isTrusted(found), origins, ...counts(found) }, 2)}\n`,
    );
  } else {
    const colors = colorsFor(stdout, { env }, options);
    stdout.write(tableText(origins, columns, { width: tableWidth(stdout), colors }));
    for (const problem of problems) stdout.write(`${displayText(problem)}\n`);
    const rest = Object.entries(counts(found)).map(([key, count]) => counted(count, key.slice(0, -1)));
    const more = rest.length === 0 ? '' : `, ${rest.join(', ')}`;
    const file = displayText(shownPath(cwd, found.file));
    stderr.write(`${file} is valid: ${counted(origins.length, 'origin')}${more}\n`);
    const line = trustLine(found, cwd);
    if (line !== '') stderr.write(`${line}\n`);
  }
  return problems.length === 0 ? exitCodes.ok : exitCodes.findings;
}

function checked(origin: NamedOrigin, cli: Cli): CheckedOrigin {
  const { label, location } = origin;
  return {
    label,
    kind: location.kind,
    place:
      location.kind === 'folder' || location.kind === 'archive'
        ? shownPath(cli.cwd, location.path)
        : locationText(location),
    problems: [...missing(origin), ...(origin.trust.standing === 'untrusted' ? ['not trusted'] : unset(origin, cli))],
  };
}

function missing({ location }: NamedOrigin): readonly string[] {
  if (location.kind !== 'folder' && location.kind !== 'archive') return [];
  const facts = statSync(location.path, { throwIfNoEntry: false });
  if (facts === undefined) return [`there is no "${location.path}"`];
  return location.kind === 'folder' && !facts.isDirectory() ? [`"${location.path}" is not a folder`] : [];
}

function unset(origin: NamedOrigin, cli: Cli): readonly string[] {
  try {
    secretsOf(origin, cli);
    return [];
  } catch (error) {
    if (error instanceof SkillwireError) return [error.message];
    throw error;
  }
}

function counts({ configuration }: FoundConfiguration): Readonly<Record<string, number>> {
  const { rules, profiles, policy }: Configuration = configuration;
  return {
    ...(rules.length === 0 ? {} : { rules: rules.length }),
    ...(profiles === undefined ? {} : { profiles: profiles.length }),
    ...(policy?.deny === undefined ? {} : { denials: policy.deny.length }),
  };
}

const columns: readonly Column<CheckedOrigin>[] = [
  { title: 'ORIGIN', text: ({ label }) => label, style: (_, colors) => colors.bold },
  { title: 'KIND', text: ({ kind }) => kind },
  {
    title: 'CAN BE SERVED',
    text: ({ problems }) => (problems.length === 0 ? 'yes' : 'no'),
    style: ({ problems }, colors) => (problems.length === 0 ? colors.green : colors.red),
  },
  { title: 'PLACE', rest: true, text: ({ place }) => place },
];
