/** `skillwire waiting`: what a server holds back until somebody approves it, as it has written it down. Asks no origin and no server. */
import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../errors.ts';
import { type QueuedSkill, readHeld } from '../../gateway/held-queue.ts';
import type { KeyValueStore } from '../../store/store.ts';
import type { Cli, GlobalOptions } from '../cli.ts';
import { addStateOption, type StateOptions } from '../connection-options.ts';
import { shownLabel, withHost } from '../open-host.ts';
import { createColors, wantsColor } from '../render/color.ts';
import { counted } from '../render/counted.ts';
import { jsonText } from '../render/json-text.ts';
import { type Column, tableText, tableWidth } from '../render/table.ts';

interface WaitingOptions extends GlobalOptions, StateOptions {
  readonly refused?: boolean;
}

const help = `
A server whose skillwire.json says {"policy": {"mode": "approved-only"}} serves what was approved and lets the rest wait.
"skillwire diff ORIGIN SKILL" shows what changed, "skillwire approve ORIGIN SKILL" lets it be served.

Exit codes:
  0 nothing waits, 1 something does, 2 could not run, 130 interrupted

Examples:
  skillwire waiting
  skillwire waiting --refused
  skillwire waiting --json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addStateOption(
    command.usage('[options]').option('--refused', 'also what the policy refuses, which no approval changes'),
  )
    .addHelpText('after', help)
    .action(async (_: unknown, self: Command) => {
      finish(await waiting(self.optsWithGlobals<WaitingOptions>(), cli));
    });
}

function waiting(options: WaitingOptions, cli: Cli): Promise<ExitCode> {
  return withHost('none', options, cli, async ({ store, host }) => {
    const approved = new Set((await host.approvals()).map(({ label, uri, setDigest }) => keyOf(label, uri, setDigest)));
    // A server writes down what it holds back when it is asked; what was approved or denied since then waits no longer.
    const decided = new Set([...approved, ...(await readDenied(store.state))]);
    const held = (await readHeld(store.state)).filter(
      ({ label, uri, state, setDigest }) => state === 'refused' || !decided.has(keyOf(label, uri, setDigest)),
    );
    const waits = held.filter(({ state }) => state !== 'refused');
    const shown = options.refused === true ? held : waits;
    if (options.json === true) {
      cli.stdout.write(`${jsonText({ version: 1, waiting: shown.map(queuedJson) }, 2)}\n`);
    } else {
      const colors = createColors(wantsColor(cli.stdout, { env: cli.env, color: options.color }));
      cli.stdout.write(tableText(shown, columns(cli.cwd), { width: tableWidth(cli.stdout), colors }));
      cli.stderr.write(`${counted(waits.length, 'skill')} to approve\n`);
    }
    return waits.length === 0 ? exitCodes.ok : exitCodes.findings;
  });
}

/** What was denied as it is, on the page. */
async function readDenied(state: KeyValueStore): Promise<readonly string[]> {
  return (await state.entries(['denied'])).map(({ key: [, label, uri], value }) => {
    const { setDigest } = (typeof value === 'object' && value !== null ? value : {}) as { setDigest?: unknown };
    return keyOf(label, uri, typeof setDigest === 'string' ? setDigest : undefined);
  });
}

const keyOf = (...parts: readonly (string | undefined)[]): string => JSON.stringify(parts);

function queuedJson({ label, setDigest, ...rest }: QueuedSkill): object {
  return { origin: label, ...rest, setDigest: setDigest ?? null };
}

function columns(cwd: string): readonly Column<QueuedSkill>[] {
  return [
    { title: 'NAME', text: ({ name }) => name, style: (_, colors) => colors.bold },
    { title: 'ORIGIN', text: ({ label }) => shownLabel(label, cwd) },
    { title: 'STATE', text: ({ state }) => state },
    { title: 'SET', text: ({ setDigest }) => (setDigest ?? '').slice(0, 'sha256:'.length + 12) },
    { title: 'SINCE', text: ({ since }) => since.slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ') },
    { title: 'REASON', rest: true, text: ({ reason }) => reason },
  ];
}
