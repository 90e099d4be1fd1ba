/**
 * `skillwire deny`: denies skills by rules. Servers that use the same state stop serving a denied skill, even if it is approved. Nothing is
 * deleted, and a denial can be removed. The command prints the known affected skills, including those that contain a denied one.
 */
import { type Command, Option } from 'commander';
import { type ExitCode, exitCodes, SkillwireError } from '../../errors.ts';
import type { Denial } from '../../policy/serving-policy.ts';
import { isDigest } from '../../skill/digest.ts';
import { displayText } from '../../skill/display-text.ts';
import {
  addDenial,
  type DenialKind,
  readDenials,
  removeDenial,
  type StoredDenial,
} from '../../store/decisions/restrictions.ts';
import { type Cli, type GlobalOptions, usageError } from '../cli.ts';
import { type DeniedSkill, deniedSkills } from '../decisions/denied-skills.ts';
import { groups } from '../help/option-groups.ts';
import { type CommandSession, withHost } from '../open-host.ts';
import { addConfigOptions, addStateOption, type StateOptions } from '../options/connection-options.ts';
import { writeJson } from '../render/json-text.ts';
import { type Column, writeTable } from '../render/table.ts';
import { counted, minuteText } from '../render/values.ts';

interface DenyOptions extends GlobalOptions, StateOptions {
  readonly digest?: string;
  readonly origin?: string;
  readonly match?: string;
  readonly reason?: string;
}

const help = `
Use one of --digest, --origin (a label) and --match (a pattern on the served path, like in .gitignore). A digest is that
of a file, or a set or content digest of "skillwire show".

Running servers that use the same state stop serving the skill, and sites are built without it. The policy in
skillwire.json may deny more.

A skill that contains a denied skill is not served either. The command prints the affected skills that it knows.
Servers with a policy list theirs with "skillwire waiting --all".

Exit codes:
  0 done, 2 failed or no such denial, 130 interrupted

Examples:
  skillwire deny add --match "tools/pdf-*" --reason "INC-7: leaks files"
  skillwire deny add --digest sha256:…
  skillwire deny list
  skillwire deny remove --match "tools/pdf-*" --reason "fixed"`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  command.usage('add WHAT | remove WHAT | list [options]').addHelpText('after', help);
  const own = (name: string, summary: string): Command =>
    addStateOption(
      addConfigOptions(command.command(name).description(summary).optionsGroup(groups.common)),
    ).addHelpText('after', help);
  const what = (self: Command): Command =>
    self
      .addOption(new Option('--digest <digest>', 'Skills with this digest').conflicts(['origin', 'match']))
      .addOption(new Option('--origin <label>', 'All skills of this origin').conflicts('match'))
      .option('--match <pattern>', 'Skills whose path matches')
      .option('--reason <text>', 'Reason for the audit');
  const run = async (self: Command, work: (session: CommandSession, options: DenyOptions) => Promise<ExitCode>) => {
    const options = self.optsWithGlobals<DenyOptions>();
    finish(await withHost('none', options, cli, (session) => work(session, options)));
  };
  what(own('add', 'Deny skills'))
    .usage('--digest DIGEST | --origin LABEL | --match PATTERN [options]')
    .action((_: unknown, self: Command) => run(self, (session, options) => add(session, options, cli)));
  what(own('remove', 'Remove a denial'))
    .usage('--digest DIGEST | --origin LABEL | --match PATTERN [options]')
    .action((_: unknown, self: Command) => run(self, (session, options) => remove(session, options, cli)));
  own('list', 'List denials')
    .usage('[options]')
    .action((_: unknown, self: Command) => run(self, (session, options) => list(session, options, cli)));
}

async function add(session: CommandSession, options: DenyOptions, cli: Cli): Promise<ExitCode> {
  const { kind, value } = namedIn(options);
  await addDenial(session.store, kind, value, options.reason ?? '');
  const skills = await concerned(session, { [kind]: value }, cli);
  if (options.json === true) {
    writeJson(cli, { version: 1, denied: { [kind]: value }, skills, ...(await session.confirmation()) });
    return exitCodes.ok;
  }
  cli.stderr.write(`denied: ${kind} ${displayText(value)}\n`);
  for (const { path, contains } of skills) {
    const why = contains === null ? '' : ` (contains ${displayText(contains)})`;
    cli.stderr.write(`no longer served: ${displayText(path)}${why}\n`);
  }
  return exitCodes.ok;
}

/** The denial is stored even if its effect cannot be shown. */
async function concerned(session: CommandSession, denial: Denial, cli: Cli): Promise<readonly DeniedSkill[]> {
  try {
    return await deniedSkills(denial, session);
  } catch (error) {
    if (!(error instanceof SkillwireError)) throw error;
    cli.stderr.write(`warning: Cannot list the affected skills: ${displayText(error.message)}\n`);
    return [];
  }
}

async function remove({ store, confirmation }: CommandSession, options: DenyOptions, cli: Cli): Promise<ExitCode> {
  const { kind, value } = namedIn(options);
  if (!(await removeDenial(store, kind, value, options.reason ?? '')))
    throw usageError(
      `The ${kind} "${value}" is not denied. List denials with "skillwire deny list"; skillwire.json may have more.`,
      { [kind]: value },
    );
  if (options.json === true) writeJson(cli, { version: 1, allowed: { [kind]: value }, ...(await confirmation()) });
  else cli.stderr.write(`allowed: ${kind} ${displayText(value)}\n`);
  return exitCodes.ok;
}

async function list({ store }: CommandSession, options: DenyOptions, cli: Cli): Promise<ExitCode> {
  const denials = await readDenials(store.state);
  if (options.json === true) {
    const shown = denials.map(({ kind, value, reason, at }) => ({
      [kind]: value,
      reason: reason ?? '',
      at: at ?? null,
    }));
    writeJson(cli, { version: 1, denials: shown });
    return exitCodes.ok;
  }
  writeTable(denials, columns, options, cli);
  cli.stderr.write(`${counted(denials.length, 'denial')}\n`);
  return exitCodes.ok;
}

const columns: readonly Column<StoredDenial>[] = [
  { title: 'KIND', text: ({ kind }) => kind },
  { title: 'WHAT', text: ({ value }) => value, style: (_, colors) => colors.bold },
  { title: 'SINCE', text: ({ at }) => minuteText(at ?? '') },
  { title: 'REASON', rest: true, text: ({ reason }) => reason ?? '' },
];

function namedIn({ digest, origin, match }: DenyOptions): { readonly kind: DenialKind; readonly value: string } {
  if (digest !== undefined) {
    if (isDigest(digest)) return { kind: 'digest', value: digest };
    throw usageError('--digest takes "sha256:" and 64 lower-case hexadecimal digits.');
  }
  if (origin !== undefined) return { kind: 'origin', value: origin };
  if (match !== undefined) {
    if (/^(?![#!])(?!\s*$)(?!\/+$)[^\p{Cc}]*[^\p{Cc}\\]$/u.test(match)) return { kind: 'match', value: match };
    throw usageError(`--match "${displayText(match)}" is not a pattern. For example: "tools/pdf-*"`);
  }
  throw usageError('Nothing to deny. Use --digest, --origin or --match.');
}
