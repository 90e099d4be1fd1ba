/** `skillwire enable` and `disable`: show an origin or one skill to models, or hide it, in every client that uses the same state. */
import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../errors.ts';
import type { SkillAddress } from '../../host/discover/discovered-skill.ts';
import { displayText } from '../../skill/display-text.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';
import { disabledRecords } from '../../store/decisions/restrictions.ts';
import { type Cli, type GlobalOptions, usageError } from '../cli.ts';
import { storedLabel } from '../decisions/stored-skill.ts';
import { findSkill } from '../find-skill.ts';
import { type CommandSession, shownLabel, withHost } from '../open-host.ts';
import { addConnectionOptions, type ConnectionOptions, originHelp, skillHelp } from '../options/connection-options.ts';
import { startProgress } from '../progress.ts';
import { writeJson } from '../render/json-text.ts';

type SwitchOptions = GlobalOptions & ConnectionOptions;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  const enabled = command.name() === 'enable';
  addConnectionOptions(
    command
      .usage('[LABEL=]ORIGIN [SKILL] [options]')
      .argument('<origin>', 'Origin')
      .argument('[skill]', 'One skill; default: the whole origin'),
  )
    .addHelpText('after', helpFor(enabled))
    .action(async (origin: string, skill: string | undefined, _: unknown, self: Command) => {
      finish(await switchSkill(origin, skill, enabled, self.optsWithGlobals<SwitchOptions>(), cli));
    });
}

function helpFor(enabled: boolean): string {
  const [name, done] = enabled ? ['enable', 'enabled'] : ['disable', 'disabled'];
  return `
${originHelp}
${skillHelp}
${enabled ? '' : 'Approvals stay stored. Undo with "skillwire enable".\n'}
Exit codes:
  0 ${done}, 2 failed or no such skill, 3 not authorized, 4 unreachable, 130 interrupted

Examples:
  skillwire ${name} docs
  skillwire ${name} docs pdf-tools`;
}

async function switchSkill(
  origin: string,
  skill: string | undefined,
  enabled: boolean,
  options: SwitchOptions,
  cli: Cli,
): Promise<ExitCode> {
  const chosen: string[] = skill === undefined ? [] : [skill];
  const needsListing = skill === undefined ? origin.includes('@') : !skill.includes('://');
  const run = async (session: CommandSession): Promise<ExitCode> => {
    const { host, store, place, confirmation } = session;
    const label = session.origins[0]?.label ?? (await storedLabel(origin, await disabledRecords(store.state), place));
    const [reference, more] = chosen;
    if (more !== undefined) throw usageError(`Two skills are named: "${more}" and "${reference}". Name one.`);
    const address = reference === undefined ? undefined : await addressOf(session, label, reference, enabled, cli);
    const uri = address?.uri;
    if (address === undefined) await host.origins.setEnabled(label, enabled);
    else await host.setEnabled(address, enabled);
    if (options.json === true) {
      writeJson(cli, { version: 1, origin: label, uri, enabled, ...(await confirmation()) });
    } else {
      const what = uri === undefined ? shownLabel(label, cli.cwd) : `${uri} of ${shownLabel(label, cli.cwd)}`;
      cli.stderr.write(`${enabled ? 'enabled' : 'disabled'}: ${displayText(what)}\n`);
    }
    return exitCodes.ok;
  };
  return withHost(needsListing ? [origin] : 'none', options, cli, run, { chosen: (name) => chosen.push(name) });
}

/** A URI is used unchecked: a disabled skill may be gone, and an existing one may be unlisted. */
async function addressOf(
  session: CommandSession,
  label: string,
  reference: string,
  enabled: boolean,
  cli: Cli,
): Promise<SkillAddress> {
  if (reference.includes('://')) return { label, uri: reference };
  if (enabled) {
    const [only, second] = await disabledSkills(session, label, reference);
    if (only !== undefined && second === undefined) return { label, uri: only };
  }
  const progress = startProgress(cli, `Contacting ${shownLabel(label, cli.cwd)}`);
  const { captured } = await findSkill(session.host, label, reference, session.signal).finally(() => progress.stop());
  return { label, uri: captured.entry.uri, formerUris: captured.formerUris };
}

/** URIs of disabled skills of the origin with that path or name. */
async function disabledSkills({ store }: CommandSession, label: string, reference: string): Promise<readonly string[]> {
  return (await disabledRecords(store.state)).flatMap(({ label: origin, uri }) => {
    if (uri === undefined || origin !== label) return [];
    const folders = tryParseSkillUri(uri)?.segments.slice(0, -1) ?? [];
    return folders.join('/') === reference || (folders.at(-1) ?? '') === reference ? [uri] : [];
  });
}
