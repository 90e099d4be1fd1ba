/** `skillwire audit`: prints what was approved, refused, revoked, loaded and executed, the oldest first. */
import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../errors.ts';
import { auditObject } from '../../store/audit-text.ts';
import type { AuditRecord } from '../../store/store.ts';
import { type Cli, type GlobalOptions, runs, usageError } from '../cli.ts';
import { shownLabel, withHost } from '../open-host.ts';
import { addConfigOptions, addStateOption, type StateOptions } from '../options/connection-options.ts';
import { jsonText } from '../render/json-text.ts';
import { type Column, writeTable } from '../render/table.ts';
import { counted, secondText } from '../render/values.ts';

interface AuditOptions extends GlobalOptions, StateOptions {
  readonly since?: number;
  readonly label?: string;
}

const help = `
The audit is append-only. It contains digests, grants and reasons, never content or secrets. With --json each record is
one line.

Exit codes:
  0 printed, 2 failed, 130 interrupted

Examples:
  skillwire audit
  skillwire audit --since 2026-11-01 --label docs
  skillwire audit --json`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  addStateOption(
    addConfigOptions(command)
      .usage('[options]')
      .option('--since <date>', 'Only records since this day (UTC) or time', parseSince)
      .option('--label <label>', 'Only records of this origin'),
  )
    .addHelpText('after', help)
    .action(runs(cli, finish, audit));
}

function audit(options: AuditOptions, cli: Cli): Promise<ExitCode> {
  return withHost('none', options, cli, async ({ store, signal }) => {
    const rows: AuditRecord[] = [];
    for await (const record of store.audit.read()) {
      signal.throwIfAborted();
      if (options.since !== undefined && !(Date.parse(record.at) >= options.since)) continue;
      if (options.label !== undefined && record.label !== options.label) continue;
      if (options.json === true) cli.stdout.write(`${jsonText(record)}\n`);
      else rows.push(record);
    }
    if (options.json === true) return exitCodes.ok;
    writeTable(rows, columns(cli.cwd), options, cli);
    cli.stderr.write(`${counted(rows.length, 'record')}\n`);
    return exitCodes.ok;
  });
}

function columns(cwd: string): readonly Column<AuditRecord>[] {
  return [
    { title: 'AT', text: ({ at }) => secondText(at) },
    { title: 'ACTION', text: ({ action }) => action, style: (_, colors) => colors.bold },
    { title: 'BY', text: ({ by, data }) => userIn(data) ?? by ?? '' },
    { title: 'ORIGIN', text: ({ label }) => (label === undefined ? '' : shownLabel(label, cwd)) },
    { title: 'ABOUT', text: (record) => auditObject(record) ?? '' },
    { title: 'REASON', rest: true, text: ({ reason }) => reason ?? '' },
  ];
}

function userIn(data: AuditRecord['data']): string | undefined {
  const { user } = (typeof data === 'object' && data !== null ? data : {}) as Readonly<Record<string, unknown>>;
  return typeof user === 'string' ? user : undefined;
}

function parseSince(text: string): number {
  const time = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2})?)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw usageError(
    `--since "${text}" is not a date. Use a day such as 2026-11-01 or a time such as 2026-11-01T12:00:00Z.`,
    { text },
  );
}
