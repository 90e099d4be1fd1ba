/**
 * `skillwire expose`: exposes Markdown files, or the skills of a module, at a hub until it is interrupted. A file that is saved is
 * exposed anew. `name/SKILL.md` and `name.md` are exposed as `/name/skill.md`; a module exposes what it likes.
 */
import { unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { type ExitCode, exitCodes, SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { secretsFromEnv } from '../../origins/credentials.ts';
import { createRuntime, type Runtime, type RuntimeStatus } from '../../runtime-client/index.node.ts';
import { displayText } from '../../skill/display-text.ts';
import { suggestName } from '../../skill/name.ts';
import { type Cli, type GlobalOptions, usageError } from '../cli.ts';
import { interruptible } from '../interrupts.ts';
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
FILE is Markdown, or a module (.js, .mjs) whose default export is a function that gets the runtime and calls
runtime.expose(path, text) or runtime.expose(path, { description }, ({ queries }) => text).
PATH=FILE exposes Markdown at a path of your choice: /workspace/review/skill.md=review.md

Exit codes:
  2 could not run, the hub refuses, or another runtime takes the id, 3 not authorized, 4 unreachable, 130 interrupted

Examples:
  skillwire expose notes.md
  skillwire expose skills/*/SKILL.md --id my-laptop
  skillwire expose live.mjs --to wss://hub.example.com --token-env HUB_TOKEN`;

export function define(command: Command, cli: Cli, finish: (exitCode: ExitCode) => void): void {
  command
    .usage('[PATH=]FILE... [options]')
    .argument('<file...>', 'Markdown or modules')
    .option('--to <url>', 'the hub: ws:, wss:, or http: and https: where no WebSocket gets through', usualHub)
    .option('--id <id>', 'the name under which the hub knows this runtime', 'terminal')
    .option('--name <text>', 'the name for people (default: the id)')
    .option('--token-env <name>', 'send the bearer token that is in this environment variable')
    .addHelpText('after', help)
    .action(async (files: readonly string[], _: unknown, self: Command) => {
      finish(await expose(files, self.optsWithGlobals<ExposeOptions>(), cli));
    });
}

function expose(files: readonly string[], options: ExposeOptions, cli: Cli): Promise<ExitCode> {
  return interruptible(async (signal) => {
    const { token } = secretsFromEnv({ headers: [], ...tokenOption(options) }, cli.env);
    let ended: (error: SkillwireError) => void = () => {};
    const end = new Promise<never>((_, reject) => {
      ended = reject;
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    // Whoever waits for it comes later; until then it must not count as unhandled.
    end.catch(() => undefined);
    const runtime = createRuntime({
      url: options.to,
      id: options.id,
      name: options.name,
      auth: token === undefined ? undefined : { token },
      onStatus: (status) => tellStatus(status, options, cli, ended),
    });
    const stops: (() => void)[] = [];
    try {
      for (const file of files) stops.push(await exposeFile(runtime, file, cli));
      await runtime.connect({ signal });
      cli.stderr.write(`exposed: ${counted(files.length, 'file')} at ${displayText(options.to)}; Ctrl-C ends it\n`);
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

function tokenOption({ tokenEnv }: ExposeOptions): { tokenEnv?: string } {
  return tokenEnv === undefined ? {} : { tokenEnv };
}

function tellStatus(
  { state, reason = '', retryMs = 0, refused }: RuntimeStatus,
  { id, to }: ExposeOptions,
  cli: Cli,
  ended: (error: SkillwireError) => void,
): void {
  if (refused === true) {
    const message = `"${to}" does not accept this runtime: ${reason}; mend that and start again`;
    ended(new SkillwireError('ORIGIN_FAILED', message, { data: { id, to, reason } }));
    return;
  }
  if (state === 'waiting') {
    const seconds = Math.ceil(retryMs / 1_000);
    cli.stderr.write(`lost: ${displayText(reason)}; next attempt in ${counted(seconds, 'second')}\n`);
  }
  if (state !== 'replaced') return;
  const message = `another runtime has registered as "${id}" at "${to}"; choose another --id`;
  ended(new SkillwireError('ORIGIN_FAILED', message, { data: { id, to } }));
}

/** Gives back how to stop following the file. */
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
      (error: unknown) => cli.stderr.write(`warning: ${displayText(String(error))}; it stays as it was\n`),
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
  throw usageError(`"${file}" gives no name for a path; write /NAME/skill.md=${file}`, { file });
}

async function readText(place: string, file: string): Promise<string> {
  try {
    return await readFile(place, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SkillwireError('ORIGIN_UNREADABLE', `cannot read "${file}": ${reason}`, { data: { file }, cause: error });
  }
}

async function runModule(runtime: Runtime, place: string, file: string): Promise<void> {
  const loaded: { readonly default?: unknown } = await import(pathToFileURL(place).href).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SkillwireError('USAGE', `cannot load "${file}": ${reason}`, { data: { file }, cause: error });
  });
  if (typeof loaded.default !== 'function')
    throw usageError(`"${file}" has no default export that is a function; write: export default (runtime) => runtime.expose(...)`, { file });
  await loaded.default(runtime);
}
