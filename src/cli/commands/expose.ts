/**
 * `skillwire expose`: exposes Markdown files, or the skills of a module, at a hub until it is interrupted. A saved file is exposed again.
 * `name/SKILL.md` and `name.md` become `/name/skill.md`; a module chooses its paths.
 */
import { unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { type ExitCode, exitCodes, reasonOf, SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { secretsFromEnv } from '../../origins/credentials.ts';
import { createRuntime, type Runtime, type RuntimeStatus } from '../../runtime-client/index.node.ts';
import { displayText } from '../../skill/display-text.ts';
import { suggestName } from '../../skill/name.ts';
import { type Cli, type GlobalOptions, runs, usageError } from '../cli.ts';
import { interruptible } from '../interrupts.ts';
import { tokenOption } from '../options/connection-options.ts';
import { defaultListenAddress } from '../options/listen-address.ts';
import { jsonText } from '../render/json-text.ts';
import { counted } from '../render/values.ts';

interface ExposeOptions extends GlobalOptions {
  readonly to: string;
  readonly id: string;
  readonly name?: string;
  readonly tokenEnv?: string;
}

const usualHub = `ws://${defaultListenAddress.host}:${defaultListenAddress.port}`;

const help = `
FILE is Markdown, or a module (.js, .mjs) whose default export is a function. It gets the runtime and calls
runtime.expose(path, text) or runtime.expose(path, { description }, ({ queries }) => text).
PATH=FILE exposes Markdown at another path: /workspace/review/skill.md=review.md

Exit codes:
  2 failed, refused by the hub, or id taken by another runtime, 3 not authorized, 4 unreachable, 130 interrupted

Examples:
  skillwire expose notes.md
  skillwire expose skills/*/SKILL.md --id my-laptop
  skillwire expose live.mjs --to wss://hub.example.com --token-env HUB_TOKEN`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  command
    .usage('[PATH=]FILE... [options]')
    .argument('<file...>', 'Markdown files or modules')
    .option('--to <url>', 'Hub: ws:, wss:, or http: and https: if WebSockets are blocked', usualHub)
    .option('--id <id>', 'Id of this runtime at the hub', 'terminal')
    .option('--name <text>', 'Name for people (default: the id)')
    .addOption(tokenOption())
    .addHelpText('after', help)
    .action(runs(cli, finish, expose));
}

function expose(files: readonly string[], options: ExposeOptions, cli: Cli): Promise<ExitCode> {
  return interruptible(async (signal) => {
    const { token } = secretsFromEnv({ headers: [], tokenEnv: options.tokenEnv }, cli.env);
    let fail: (error: SkillwireError) => void = () => {};
    const end = new Promise<never>((_, reject) => {
      fail = reject;
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    // It is awaited later; until then a rejection must not count as unhandled.
    end.catch(() => undefined);
    const runtime = createRuntime({
      url: options.to,
      id: options.id,
      name: options.name,
      auth: token === undefined ? undefined : { token },
      onStatus: (status) => reportStatus(status, options, cli, fail),
    });
    const stops: (() => void)[] = [];
    try {
      for (const file of files) stops.push(await exposeFile(runtime, file, cli));
      await runtime.connect({ signal });
      cli.stderr.write(
        `connected: ${counted(files.length, 'file')} at ${displayText(options.to)}. Press Ctrl-C to stop.\n`,
      );
      if (options.json === true)
        cli.stdout.write(`${jsonText({ event: 'connected', to: options.to, id: options.id })}\n`);
      await end;
      return exitCodes.ok;
    } finally {
      for (const stop of stops) stop();
      await runtime.close();
    }
  });
}

function reportStatus(
  { state, reason = '', retryMs = 0, refused }: RuntimeStatus,
  { id, to }: ExposeOptions,
  cli: Cli,
  fail: (error: SkillwireError) => void,
): void {
  if (refused === true) {
    const message = `"${to}" refused this runtime: ${reason}. Fix that and start again.`;
    fail(new SkillwireError('ORIGIN_FAILED', message, { data: { id, to, reason } }));
    return;
  }
  if (state === 'waiting') {
    const seconds = Math.ceil(retryMs / 1_000);
    cli.stderr.write(`disconnected: ${displayText(reason)}; retrying in ${counted(seconds, 'second')}\n`);
  }
  if (state !== 'replaced') return;
  const message = `Another runtime registered as "${id}" at "${to}". Choose another --id.`;
  fail(new SkillwireError('ORIGIN_FAILED', message, { data: { id, to } }));
}

/** @returns a function that stops watching the file */
async function exposeFile(runtime: Runtime, argument: string, cli: Cli): Promise<() => void> {
  const { path: wanted, file } = splitArgument(argument);
  const place = resolve(cli.cwd, file);
  if (/\.m?js$/i.test(file) && wanted === undefined) {
    await runModule(runtime, place, file);
    return () => {};
  }
  const path = wanted ?? pathOf(file, place);
  const update = async (): Promise<void> => runtime.expose(path, await readText(place, file));
  await update();
  watchFile(place, { interval: limits.watch.pollMs }, (now, before) => {
    if (now.mtimeMs === before.mtimeMs && now.size === before.size) return;
    update().then(
      () => cli.stderr.write(`exposed again: ${displayText(file)}\n`),
      (error: unknown) => cli.stderr.write(`warning: ${displayText(String(error))}; the old text stays exposed\n`),
    );
  });
  return () => unwatchFile(place);
}

function splitArgument(argument: string): { readonly path?: string; readonly file: string } {
  const [, path, file] = /^(\/.*?skill\.md)=(.+)$/.exec(argument) ?? [];
  return path === undefined || file === undefined ? { file: argument } : { path, file };
}

function pathOf(file: string, place: string): string {
  const own = basename(place, extname(place));
  const name = suggestName(own.toLowerCase() === 'skill' ? basename(dirname(place)) : own);
  if (name !== undefined) return `/${name}/skill.md`;
  throw usageError(`Cannot derive a path from "${file}". Use /NAME/skill.md=${file}.`, { file });
}

async function readText(place: string, file: string): Promise<string> {
  try {
    return await readFile(place, 'utf8');
  } catch (error) {
    const reason = reasonOf(error);
    throw new SkillwireError('ORIGIN_UNREADABLE', `Cannot read "${file}": ${reason}`, { data: { file }, cause: error });
  }
}

async function runModule(runtime: Runtime, place: string, file: string): Promise<void> {
  const loaded: { readonly default?: unknown } = await import(pathToFileURL(place).href).catch((error: unknown) => {
    const reason = reasonOf(error);
    throw new SkillwireError('USAGE', `Cannot load "${file}": ${reason}`, { data: { file }, cause: error });
  });
  if (typeof loaded.default !== 'function')
    throw usageError(
      `"${file}" has no function as default export. For example: export default (runtime) => runtime.expose(...)`,
      { file },
    );
  await loaded.default(runtime);
}
