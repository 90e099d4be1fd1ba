/** `skillwire waiting`: lists skills that servers recorded as waiting for approval. Contacts no origin and no server. */
import type { Command } from 'commander';
import { type ExitCode, exitCodes, SkillwireError } from '../../errors.ts';
import type { QueuedSkill } from '../../serving/waiting-queue.ts';
import { displayText } from '../../skill/display-text.ts';
import { defaultRuntimeLabel } from '../../sources/mdp-runtime/mdp-runtime-source.ts';
import { type Cli, type GlobalOptions, runs } from '../cli.ts';
import { isPending, unservedSkills } from '../decisions/waiting-skills.ts';
import { type CommandSession, shownLabel, withHost } from '../open-host.ts';
import { addConfigOptions, addStateOption, type StateOptions } from '../options/connection-options.ts';
import {
  approveCommand,
  hiddenLiveText,
  type InForce,
  type WaitingGroup,
  waitingGroups,
} from '../render/decision-commands.ts';
import { writeJson } from '../render/json-text.ts';
import { type Column, writeTable } from '../render/table.ts';
import { counted, minuteText, shortDigest } from '../render/values.ts';

interface WaitingOptions extends GlobalOptions, StateOptions {
  readonly all?: boolean;
  readonly config?: string;
}

const help = `
With {"policy": {"mode": "approved-only"}} in skillwire.json, a server serves only approved versions; all others wait.
"skillwire review" shows them one by one and asks. The printed commands approve exactly the listed versions.

Exit codes:
  0 nothing is waiting, 1 skills are waiting, 2 failed, 130 interrupted

Examples:
  skillwire waiting
  skillwire waiting --all
  skillwire waiting --json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addStateOption(addConfigOptions(command.usage('[options]').option('--all', 'List denied and disabled skills too')))
    .addHelpText('after', help)
    .action(runs(cli, finish, waiting));
}

function waiting(options: WaitingOptions, cli: Cli): Promise<ExitCode> {
  return withHost('none', options, cli, async ({ store, configuration }) => {
    const rows = await unservedSkills(store, cli.cwd);
    const pending = rows.filter(isPending);
    const shown = options.all === true ? rows : rows.filter(({ state }) => state === 'waiting');
    const inForce = await configurationHere(configuration);
    const groups = await waitingGroups(pending, inForce, options);
    const commandOf = (row: QueuedSkill): string | undefined =>
      isPending(row) ? approveCommand(row, inForce, options) : undefined;
    if (options.json === true) {
      const [first] = groups;
      const all = groups.map(({ planDigest, approveAll }) => ({ planDigest, command: approveAll }));
      const plan = groups.length === 1 && first !== undefined ? first.planDigest : null;
      const list = shown.map((row) => ({ ...queuedJson(row), command: commandOf(row) ?? null }));
      writeJson(cli, { version: 1, waiting: list, planDigest: plan, plans: all });
    } else {
      writeTable(shown, columns(cli.cwd), options, cli);
      cli.stdout.write(signaturesText(shown));
      cli.stdout.write(
        commandsText(
          pending.flatMap((row) => commandOf(row) ?? []),
          groups,
        ),
      );
      cli.stderr.write(`${counted(pending.length, 'skill')} to approve\n`);
      const live = rows.filter(
        ({ label, by, setDigest }) => label === defaultRuntimeLabel && by === 'rule' && setDigest === undefined,
      );
      if (live.length > 0) cli.stderr.write(hiddenLiveText(live.length));
    }
    return pending.length === 0 ? exitCodes.ok : exitCodes.findings;
  });
}

/** A broken configuration does not hide the queue. */
async function configurationHere(configuration: CommandSession['configuration']): Promise<InForce> {
  try {
    const found = await configuration();
    const labels = new Set(found?.configuration.origins.map(({ label }) => label) ?? []);
    return { file: found?.file, labels };
  } catch (error) {
    if (error instanceof SkillwireError) return { labels: new Set() };
    throw error;
  }
}

/** Empty if nothing can be approved with a command. */
function commandsText(commands: readonly string[], groups: readonly WaitingGroup[]): string {
  if (commands.length === 0) return '';
  const block = (title: string, lines: readonly string[]): string =>
    `\n${title}\n${lines.map((line) => `  ${line}\n`).join('')}`;
  return [
    block(
      'Review one by one:',
      groups.map(({ review }) => review),
    ),
    block('Approve one:', commands),
    ...(commands.length === 1
      ? []
      : groups.map((group) => block(`Approve all ${group.skills.length}:`, [group.approveAll]))),
  ].join('');
}

function queuedJson(row: QueuedSkill): object {
  const { label, uri, name, state, by, reason, change, since, setDigest, signature } = row;
  return { origin: label, uri, name, state, by, reason, change, since, setDigest: setDigest ?? null, signature };
}

/** A column is too narrow for steps and files, which are the reason of a refusal. */
function signaturesText(rows: readonly QueuedSkill[]): string {
  const lines = rows.flatMap(({ name, signature }) =>
    signature === undefined ? [] : [`  ${displayText(name)}: ${displayText(signature.text)}\n`],
  );
  return lines.length === 0 ? '' : `\nSignatures:\n${lines.join('')}`;
}

function columns(cwd: string): readonly Column<QueuedSkill>[] {
  return [
    { title: 'NAME', text: ({ name }) => name, style: (_, colors) => colors.bold },
    { title: 'ORIGIN', text: ({ label }) => shownLabel(label, cwd) },
    { title: 'STATE', text: ({ state, change }) => (change === undefined ? state : `${state} (${change})`) },
    { title: 'SET', text: ({ setDigest }) => shortDigest(setDigest ?? '') },
    { title: 'SINCE', text: ({ since }) => minuteText(since) },
    { title: 'REASON', rest: true, text: ({ reason }) => reason },
  ];
}
