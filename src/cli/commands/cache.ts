/** `skillwire cache`: cached files of remote skills. Everything in the cache can be fetched again. */
import type { Command } from 'commander';
import { type ExitCode, exitCodes } from '../../errors.ts';
import type { CachedFile } from '../../host/host.ts';
import { displayText } from '../../skill/display-text.ts';
import type { Cli, GlobalOptions } from '../cli.ts';
import { type CommandSession, withHost } from '../open-host.ts';
import { addStateOption, type StateOptions } from '../options/connection-options.ts';
import { startProgress } from '../progress.ts';
import { writeJson } from '../render/json-text.ts';
import { type Column, writeTable } from '../render/table.ts';
import { byteSize, counted, minuteText } from '../render/values.ts';

type CacheOptions = GlobalOptions & StateOptions;
type Action = (
  session: CommandSession,
  label: string | undefined,
  options: CacheOptions,
  cli: Cli,
) => Promise<ExitCode>;

const help = `
Approved files are pinned: gc keeps them, and clear keeps their bytes while the approval lasts.

Exit codes:
  0 done, 2 failed, 7 verify removed damaged files, 130 interrupted

Examples:
  skillwire cache list docs
  skillwire cache verify
  skillwire cache gc
  skillwire cache clear docs`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  const add = (name: string, summary: string, action: Action, withLabel: boolean): void => {
    const own = command.command(name).description(summary);
    if (withLabel) own.argument('[label]', 'One origin only');
    addStateOption(own)
      .addHelpText('after', help)
      .action(async (...values: readonly unknown[]) => {
        const self = values.at(-1) as Command;
        const options = self.optsWithGlobals<CacheOptions>();
        const label = self.args[0];
        finish(await withHost('none', options, cli, (session) => action(session, label, options, cli)));
      });
  };
  command.usage('list|verify|gc|clear [LABEL] [options]').addHelpText('after', help);
  add('list', 'List cached files', list, true);
  add('verify', 'Verify all cached files and remove damaged ones', verify, false);
  add('gc', 'Remove the least recently used files until the cache is within its budget', gc, false);
  add('clear', 'Remove all files, or those of one origin', clear, true);
}

async function list(
  { host }: CommandSession,
  label: string | undefined,
  options: CacheOptions,
  cli: Cli,
): Promise<ExitCode> {
  const all = await host.cache.list();
  const files = label === undefined ? all : all.filter((file) => file.label === label);
  if (options.json === true) {
    writeJson(cli, { version: 1, files: files.map(fileJson) });
    return exitCodes.ok;
  }
  writeTable(files, columns, options, cli);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  cli.stderr.write(`${counted(files.length, 'file')}, ${byteSize(bytes)}\n`);
  return exitCodes.ok;
}

async function verify(
  { host, signal }: CommandSession,
  _: unknown,
  options: CacheOptions,
  cli: Cli,
): Promise<ExitCode> {
  const progress = startProgress(cli, 'Verifying');
  const { checked, removed } = await host.cache
    .verify({ signal, onProgress: (work) => progress.count(work, 'file') })
    .finally(() => progress.stop());
  if (options.json === true) {
    writeJson(cli, { version: 1, checked, removed: removed.map(fileJson) });
  } else {
    for (const { label, uri } of removed) cli.stdout.write(`removed: ${displayText(`${label} ${uri}`)}\n`);
    cli.stderr.write(`${counted(checked, 'file')} checked, ${removed.length} removed\n`);
  }
  return removed.length === 0 ? exitCodes.ok : exitCodes.verificationFailed;
}

async function gc({ host }: CommandSession, _: unknown, options: CacheOptions, cli: Cli): Promise<ExitCode> {
  const progress = startProgress(cli, 'Removing');
  const { removed, freedBytes, remainingBytes } = await host.cache
    .gc({ onProgress: (work) => progress.count(work, 'file') })
    .finally(() => progress.stop());
  if (options.json === true) writeJson(cli, { version: 1, removed, freedBytes, remainingBytes });
  else cli.stderr.write(`${removed} removed, ${byteSize(freedBytes)} freed, ${byteSize(remainingBytes)} kept\n`);
  return exitCodes.ok;
}

async function clear(
  { host }: CommandSession,
  label: string | undefined,
  options: CacheOptions,
  cli: Cli,
): Promise<ExitCode> {
  const { removed, freedBytes } = await host.cache.clear(label);
  if (options.json === true) writeJson(cli, { version: 1, removed, freedBytes });
  else cli.stderr.write(`${removed} removed, ${byteSize(freedBytes)} freed\n`);
  return exitCodes.ok;
}

const columns: readonly Column<CachedFile>[] = [
  { title: 'ORIGIN', text: ({ label }) => label },
  { title: 'SIZE', right: true, text: ({ size }) => byteSize(size) },
  { title: 'PINNED', text: ({ pinned }) => (pinned ? 'yes' : 'no') },
  { title: 'USED', text: ({ usedAt }) => minuteText(new Date(usedAt).toISOString()) },
  { title: 'URI', rest: true, text: ({ uri }) => uri },
];

function fileJson({ label, uri, digest, size, pinned, usedAt }: CachedFile): object {
  return { origin: label, uri, digest, size, pinned, usedAt: new Date(usedAt).toISOString() };
}
