/** What `enable` and `disable` share: switches an origin, or one skill of it, for every host that uses the same state. */
import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../errors.ts';
import { displayText } from '../../skill/display-text.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';
import { disabledRecords } from '../../store/decisions/disabled.ts';
import type { Cli, GlobalOptions } from '../cli.ts';
import { findHeld } from '../find-held.ts';
import { type Session, shownLabel, withHost } from '../open-host.ts';
import { addConnectionOptions, type ConnectionOptions } from '../options/connection-options.ts';
import { startProgress } from '../progress.ts';
import { jsonText } from '../render/json-text.ts';
import { storedLabel } from './stored-skill.ts';

type SwitchOptions = GlobalOptions & ConnectionOptions;

export function defineSwitch(
  command: Command,
  { enabled, help }: { readonly enabled: boolean; readonly help: string },
  cli: Cli,
  finish: (exitCode: ExitCode) => void,
): void {
  addConnectionOptions(
    command
      .usage('[LABEL=]ORIGIN [SKILL] [options]')
      .argument('<origin>', 'the origin')
      .argument('[skill]', 'one skill of it; the whole origin where it is left out'),
  )
    .addHelpText('after', help)
    .action(async (origin: string, skill: string | undefined, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<SwitchOptions>();
      finish(await switchSkill(origin, skill, enabled, options, cli));
    });
}

async function switchSkill(
  origin: string,
  reference: string | undefined,
  enabled: boolean,
  options: SwitchOptions,
  cli: Cli,
): Promise<ExitCode> {
  const asks = reference !== undefined && !reference.includes('://');
  return withHost(asks ? [origin] : 'none', options, cli, async (session) => {
    const label = session.origins[0]?.label ?? (await knownLabel(session, origin));
    const uri = reference === undefined ? undefined : await uriOf(session, label, reference, enabled, cli);
    if (uri === undefined) await session.host.origins.setEnabled(label, enabled);
    else await session.host.setEnabled({ label, uri }, enabled);
    if (options.json === true) {
      const what = { origin: label, uri, enabled };
      cli.stdout.write(`${jsonText({ version: 1, ...what }, 2)}\n`);
    } else {
      const what = uri === undefined ? shownLabel(label, cli.cwd) : `${uri} of ${shownLabel(label, cli.cwd)}`;
      cli.stderr.write(`${enabled ? 'enabled' : 'disabled'}: ${displayText(what)}\n`);
    }
    return exitCodes.ok;
  });
}

/** A URI is taken as it is: a disabled skill may be gone, and a skill that is there may be unlisted. */
async function uriOf(session: Session, label: string, reference: string, enabled: boolean, cli: Cli): Promise<string> {
  if (reference.includes('://')) return reference;
  if (enabled) {
    const off = (await disabledSkills(session)).filter((skill) => skill.label === label);
    const named = off.filter(({ path, name }) => path === reference || name === reference);
    if (named.length === 1 && named[0] !== undefined) return named[0].uri;
  }
  const progress = startProgress(cli, `asking ${shownLabel(label, cli.cwd)}`);
  const { held } = await findHeld(session.host, label, reference, session.signal).finally(() => progress.stop());
  return held.entry.uri;
}

interface DisabledSkill {
  readonly label: string;
  readonly uri: string;
  readonly path: string;
  readonly name: string;
}

async function disabledSkills({ store }: Session): Promise<readonly DisabledSkill[]> {
  return (await disabledRecords(store.state)).flatMap(({ label, uri }) => {
    if (uri === undefined) return [];
    const folders = tryParseSkillUri(uri)?.segments.slice(0, -1) ?? [];
    return [{ label, uri, path: folders.join('/'), name: folders.at(-1) ?? '' }];
  });
}

async function knownLabel({ store, place }: Session, origin: string): Promise<string> {
  return storedLabel(origin, await disabledRecords(store.state), place);
}
