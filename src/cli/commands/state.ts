/**
 * `skillwire state`: backs up, restores and checks the state. An export is written atomically to one file; an import changes nothing unless
 * the whole file is valid.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { type ExitCode, exitCodes, SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { openPlainState, userName } from '../../node/open-state.ts';
import { displayText } from '../../skill/display-text.ts';
import { planImport } from '../../store/plan-import.ts';
import { type ExportCounts, exportLines } from '../../store/state-export.ts';
import { type ImportChoices, importState, refusalOf } from '../../store/state-import.ts';
import { type ReviveFlag, reviveFlags } from '../../store/state-kinds.ts';
import type { Store } from '../../store/store.ts';
import { type Cli, type GlobalOptions, usageError } from '../cli.ts';
import { checkState, type StateFault } from '../decisions/check-state.ts';
import { type MoveCommandOptions, moveBetween, parseStore } from '../decisions/move-state.ts';
import { groups } from '../help/option-groups.ts';
import { interruptible } from '../interrupts.ts';
import { addConfigOptions, addStateOption, type StateOptions } from '../options/connection-options.ts';
import { importJson, importText } from '../render/import-text.ts';
import { writeJson } from '../render/json-text.ts';
import { counted } from '../render/values.ts';

interface StateCommandOptions extends GlobalOptions, StateOptions {
  readonly replace?: boolean;
  readonly revive?: readonly ReviveFlag[];
  readonly skipRevoked?: boolean;
  readonly dryRun?: boolean;
  readonly reason?: string;
}

const help = `
FILE contains JSON lines that only you may read. They are origins, approvals, denials, pinned skills, token hashes, the
audit, and the bytes of approved and pinned skills. There are no cached files.

An older file may contain values that were revoked since. The import then lists them, writes nothing and exits with 5.
Use --skip-revoked to skip them, or --revive to restore the kinds you name: ${reviveFlags.join(', ')}.
An import never removes a denial.

"move" copies everything from the folder ("embedded") to the database of "store" in skillwire.json ("postgres"), or back. It
verifies the copy by its digest. Stop the servers first. After an interruption, run it again.

Exit codes:
  0 done or no faults, 1 check found unusable or outdated values, 2 failed or the file is invalid,
  5 the import would restore revoked values, 7 check found damage, 130 interrupted

Examples:
  skillwire state export backup.jsonl
  skillwire state import backup.jsonl --state ./new-state
  skillwire state import backup.jsonl --dry-run
  skillwire state import backup.jsonl --skip-revoked --revive approvals
  skillwire state move --from embedded --to postgres --config skillwire.json
  skillwire state check`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  command.usage('export FILE | import FILE | check | move [options]').addHelpText('after', help);
  const own = (name: string, summary: string): Command =>
    addStateOption(
      addConfigOptions(command.command(name).description(summary).optionsGroup(groups.common)),
    ).addHelpText('after', help);
  const run = async (self: Command, work: (opened: Opened, options: StateCommandOptions) => Promise<ExitCode>) => {
    const options = self.optsWithGlobals<StateCommandOptions>();
    finish(await withState(options, cli, (opened) => work(opened, options)));
  };
  own('export', 'Back up the state to a file')
    .usage('FILE [options]')
    .argument('<file>', 'New file')
    .action((file: string, _: unknown, self: Command) =>
      run(self, ({ store }, options) => exportTo(store, file, options, cli)),
    );
  own('import', 'Restore the state from a file')
    .usage('FILE [options]')
    .argument('<file>', 'Exported file')
    .option('--replace', 'Replace different values')
    .option('--revive <kinds>', `Restore revoked values of these kinds: ${reviveFlags.join(', ')}`, parseKinds)
    .option('--skip-revoked', 'Skip other revoked values')
    .option('--dry-run', 'Show what would change, and change nothing')
    .option('--reason <text>', 'Reason for the audit')
    .action((file: string, _: unknown, self: Command) =>
      run(self, ({ store }, options) => importFrom(store, file, options, cli)),
    );
  own('move', 'Move the state to a database or back')
    .usage('--from KIND --to KIND [options]')
    .requiredOption('--from <kind>', 'Store with the state: embedded or postgres', parseStore)
    .requiredOption('--to <kind>', 'Empty store: embedded or postgres', parseStore)
    .action(async (_: unknown, self: Command) =>
      finish(await moveBetween(self.optsWithGlobals<MoveCommandOptions>(), cli)),
    );
  own('check', 'Check the state for damaged, unusable and outdated values')
    .usage('[options]')
    .action((_: unknown, self: Command) => run(self, (opened, options) => check(opened, options, cli)));
}

interface Opened {
  readonly store: Store;
  /** Damage found while reading. */
  readonly damage: readonly string[];
  readonly signal: AbortSignal;
}

function withState(options: StateOptions, cli: Cli, work: (opened: Opened) => Promise<ExitCode>): Promise<ExitCode> {
  return interruptible(async (signal) => {
    const damage: string[] = [];
    const store = await openPlainState(options, cli, (message) => damage.push(message));
    try {
      return await work({ store, damage, signal });
    } finally {
      await store.close();
    }
  });
}

async function exportTo(store: Store, name: string, options: StateCommandOptions, cli: Cli): Promise<ExitCode> {
  const file = resolve(cli.cwd, name);
  const beside = join(dirname(file), `.${basename(file)}.${randomUUID()}`);
  let counts: ExportCounts;
  try {
    // Reserves the name, so no existing file is overwritten.
    await (await open(file, 'wx', 0o600)).close();
    try {
      counts = await writeLines(beside, exportLines(store, new Date().toISOString()));
      await rename(beside, file);
    } catch (error) {
      await Promise.all([rm(beside, { force: true }), rm(file, { force: true })]);
      throw error;
    }
  } catch (error) {
    throw fileError(error, 'write the export to', file);
  }
  if (options.json === true) writeJson(cli, { version: 1, file, ...counts });
  else cli.stderr.write(`exported: ${countsText(counts)}\n`);
  return exitCodes.ok;
}

async function writeLines(file: string, lines: AsyncGenerator<string, ExportCounts>): Promise<ExportCounts> {
  const handle = await open(file, 'wx', 0o600);
  try {
    for (;;) {
      const { done, value } = await lines.next();
      if (done === true) {
        await handle.sync();
        return value;
      }
      await handle.appendFile(value);
    }
  } finally {
    await handle.close();
  }
}

async function importFrom(store: Store, name: string, options: StateCommandOptions, cli: Cli): Promise<ExitCode> {
  const file = resolve(cli.cwd, name);
  const lines = (): AsyncGenerator<string> => linesOf(file);
  const choices: ImportChoices = {
    replace: options.replace === true,
    revive: options.revive ?? [],
    skipRevoked: options.skipRevoked === true,
  };
  const plan = await planImport(store, lines);
  const refusal = refusalOf(plan, choices);
  const show = (imported: boolean): void => {
    if (options.json === true) writeJson(cli, { version: 1, file, ...importJson(plan, choices, imported) });
    else cli.stderr.write(importText(plan, choices, imported));
  };
  if (options.dryRun === true || refusal?.exitCode === exitCodes.refused) show(false);
  if (refusal !== undefined) throw refusal;
  if (options.dryRun === true) return exitCodes.ok;
  const own = { reason: options.reason ?? '', at: new Date().toISOString(), user: userName() };
  await importState(store, lines, plan, { ...choices, ...own });
  show(true);
  return exitCodes.ok;
}

function parseKinds(text: string): readonly ReviveFlag[] {
  return text.split(',').map((name) => {
    const kind = reviveFlags.find((one) => one === name.trim());
    if (kind !== undefined) return kind;
    throw usageError(`"${name}" is not a kind of value. Use ${reviveFlags.join(', ')}.`, { kind: name });
  });
}

/** Lines of a file, split at line feeds alone. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
      let buffer = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
      for (let end = buffer.indexOf(0x0a); end !== -1; end = buffer.indexOf(0x0a)) {
        yield buffer.toString('utf8', 0, end);
        buffer = buffer.subarray(end + 1);
      }
      if (buffer.length > limits.store.exportLineBytes)
        throw new SkillwireError(
          'LIMIT_EXCEEDED',
          `A line has more than ${limits.store.exportLineBytes} bytes. Check that the file is an export of Skillwire.`,
        );
      rest = buffer;
    }
  } catch (error) {
    throw fileError(error, 'read', file);
  }
  if (rest.length > 0) yield rest.toString('utf8');
}

async function check({ store, damage, signal }: Opened, options: StateCommandOptions, cli: Cli): Promise<ExitCode> {
  const { faults: found, ...counts } = await checkState(store, signal);
  const damaged = damage.map((what): StateFault => ({ kind: 'damaged', what, remedy: 'it is ignored' }));
  const faults = [...damaged, ...found];
  if (options.json === true) writeJson(cli, { version: 1, ...counts, faults });
  else {
    for (const { kind, what, remedy } of faults) cli.stdout.write(`${kind}: ${displayText(what)}; ${remedy}\n`);
    const { values, records, blobs } = counts;
    cli.stderr.write(
      `${counted(values, 'value')}, ${counted(records, 'record')}, ${counted(blobs, 'blob')}; ${counted(faults.length, 'fault')}\n`,
    );
  }
  if (faults.some(({ kind }) => kind === 'damaged')) return exitCodes.verificationFailed;
  return faults.length === 0 ? exitCodes.ok : exitCodes.findings;
}

function countsText({ state, audit, blobs }: ExportCounts): string {
  return `${counted(state, 'value')}, ${counted(audit, 'record')}, ${counted(blobs, 'blob')}`;
}

function fileError(error: unknown, action: string, file: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (error instanceof SkillwireError || typeof code !== 'string') return error;
  const reason =
    code === 'EEXIST'
      ? 'it exists already. Choose another file.'
      : code === 'ENOENT'
        ? 'no such file or folder.'
        : code;
  return new SkillwireError('USAGE', `Cannot ${action} "${file}": ${reason}`, { data: { file }, cause: error });
}
