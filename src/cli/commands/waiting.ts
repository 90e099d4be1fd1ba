/** `skillwire waiting`: lists skills that servers recorded as waiting for approval. Contacts no origin and no server. */
import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../errors.ts';
import { type QueuedSkill, readWaiting } from '../../serving/waiting-queue.ts';
import { createDecisionReader } from '../../store/decisions/decisions.ts';
import type { Cli, GlobalOptions } from '../cli.ts';
import { shownLabel, withHost } from '../open-host.ts';
import { addStateOption, type StateOptions } from '../options/connection-options.ts';
import { writeJson } from '../render/json-text.ts';
import { type Column, writeTable } from '../render/table.ts';
import { counted, minuteText, shortDigest } from '../render/values.ts';

interface WaitingOptions extends GlobalOptions, StateOptions {
  readonly all?: boolean;
}

const help = `
With {"policy": {"mode": "approved-only"}} in skillwire.json, a server serves only approved versions; all others wait.
Review changes with "skillwire diff ORIGIN SKILL", and approve with "skillwire approve ORIGIN SKILL".

Exit codes:
  0 nothing is waiting, 1 skills are waiting, 2 failed, 130 interrupted

Examples:
  skillwire waiting
  skillwire waiting --all
  skillwire waiting --json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addStateOption(command.usage('[options]').option('--all', 'List denied and disabled skills too'))
    .addHelpText('after', help)
    .action(async (_: unknown, self: Command) => {
      finish(await waiting(self.optsWithGlobals<WaitingOptions>(), cli));
    });
}

function waiting(options: WaitingOptions, cli: Cli): Promise<ExitCode> {
  return withHost('none', options, cli, async ({ store }) => {
    const decisions = await createDecisionReader(store.state).read();
    // Servers write rows when they decide. A skill that was approved, denied or disabled since then is no longer waiting.
    const isDecided = ({ label, uri, setDigest }: QueuedSkill): boolean =>
      decisions.disabled({ label, uri }) !== undefined ||
      [decisions.approval({ label, uri }), decisions.denial({ label, uri })].some(
        (decision) => decision?.setDigest !== undefined && decision.setDigest === setDigest,
      );
    const rows = (await readWaiting(store.state)).filter((row) => row.state !== 'waiting' || !isDecided(row));
    const pending = rows.filter(({ state }) => state === 'waiting');
    const shown = options.all === true ? rows : pending;
    if (options.json === true) {
      writeJson(cli, { version: 1, waiting: shown.map(queuedJson) });
    } else {
      writeTable(shown, columns(cli.cwd), options, cli);
      cli.stderr.write(`${counted(pending.length, 'skill')} to approve\n`);
    }
    return pending.length === 0 ? exitCodes.ok : exitCodes.findings;
  });
}

function queuedJson({ label, setDigest, ...rest }: QueuedSkill): object {
  return { origin: label, ...rest, setDigest: setDigest ?? null };
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
