/**
 * A machine that notices everything that a command may not do:
 * - programs that are started and connections that are opened
 * - requests and secrets that arrive at a server inside the network
 * - files outside the project that are read or written
 * The commands run in this process; Node itself reports each child process and each socket.
 */
import { createHash } from 'node:crypto';
import diagnostics from 'node:diagnostics_channel';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Cli } from '../../src/cli/cli.ts';
import { runProgram } from '../../src/cli/program.ts';
import { renderError } from '../../src/cli/render/error.ts';

/** Thousands of commands each write their own state; a disk would slow them down. */
const inMemory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Stands in the environment and in a file of the user; must never leave. */
export const secret = 'top-secret-4711';
/** Stands in a skill outside of the project. */
export const outsideText = 'Private words of somebody else.';

export interface Outcome {
  readonly exitCode: number;
  /** Everything that was printed. */
  readonly text: string;
  /** The code of the error, if there was one. */
  readonly code: string | undefined;
}

/** The side effects of a command. */
export interface Noticed {
  readonly programs: readonly string[];
  readonly sockets: number;
  readonly trapped: number;
  readonly canary: boolean;
  readonly secretSent: boolean;
  readonly outsideRead: boolean;
  readonly outsideChanged: boolean;
}

export interface WatchedMachine {
  /** Of the repository that was cloned. */
  readonly project: string;
  /** Beside the project: holds a skill, an archive and a repository. */
  readonly outside: string;
  readonly home: string;
  /** Created by a program that must not start. */
  readonly canary: string;
  /** `127.0.0.1:PORT`, of the server that must not be reached. */
  readonly trap: string;
  run(argv: readonly string[], options?: { readonly cwd?: string; readonly answer?: string }): Promise<Outcome>;
  /** The side effects since the last call. */
  noticed(): Noticed;
  /** A fresh state, and everything outside of the project as it was. */
  reset(): void;
  remove(): Promise<void>;
}

export async function watchedMachine(): Promise<WatchedMachine> {
  const top = realpathSync(mkdtempSync(join(inMemory, 'skillwire-hostile-')));
  const [project, outside, home, state] = ['clone/project', 'outside', 'home', 'state'].map((name) =>
    join(top, name),
  ) as [string, string, string, string];
  const canary = join(top, 'canary');
  const seen = { programs: [] as string[], sockets: 0, trapped: 0, received: '', printed: '' };
  const server = await trapServer(seen);
  const address = server.address();
  const trap = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;

  const onChild = (message: unknown): void => {
    const { process: child } = message as { process: { spawnfile?: string } };
    // The name of the program is known only after the event.
    queueMicrotask(() => seen.programs.push(child.spawnfile ?? '?'));
  };
  const onSocket = (): void => {
    seen.sockets++;
  };
  diagnostics.subscribe('child_process', onChild);
  diagnostics.subscribe('net.client.socket', onSocket);

  mkdirSync(project, { recursive: true });
  makeOutside(outside);
  mkdirSync(join(home, 'private'), { recursive: true });
  cpSync(join(outside, 'skills'), join(home, 'private'), { recursive: true });
  const before = { HOME: process.env['HOME'], USERPROFILE: process.env['USERPROFILE'], SECRET: process.env['SECRET'] };
  Object.assign(process.env, { HOME: home, USERPROFILE: home, SECRET: secret });
  const around = (): string => treeDigest(outside) + treeDigest(home);
  let untouched = around();
  const forget = (): void => {
    Object.assign(seen, { programs: [], sockets: 0, trapped: 0, received: '', printed: '' });
  };

  async function run(
    argv: readonly string[],
    { cwd = project, answer }: { readonly cwd?: string; readonly answer?: string } = {},
  ): Promise<Outcome> {
    let text = '';
    const write = (data: string | Uint8Array): boolean => {
      text += Buffer.from(data).toString();
      return true;
    };
    const cli: Cli = {
      version: '1',
      cwd,
      env: { SKILLWIRE_HOME: state, SECRET: secret, HOME: home, PATH: process.env['PATH'] ?? '' },
      stdin: {},
      stdout: { write },
      stderr: { write },
      ...(answer === undefined ? {} : { ask: async () => answer }),
    };
    const stop = stopServing(() => text);
    try {
      const exitCode = await runProgram(argv, cli);
      return { exitCode, text, code: undefined };
    } catch (error) {
      const rendered = renderError(error, { json: true, debug: false });
      const { code } = (JSON.parse(rendered.text) as { error: { code: string } }).error;
      text += rendered.text;
      return { exitCode: rendered.exitCode, text, code };
    } finally {
      stop();
      seen.printed += text;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  return {
    project,
    outside,
    home,
    canary,
    trap,
    run,
    noticed() {
      const result: Noticed = {
        programs: [...seen.programs],
        sockets: seen.sockets,
        trapped: seen.trapped,
        canary: existsSync(canary),
        secretSent: seen.received.includes(secret) || seen.printed.includes(secret),
        outsideRead: seen.printed.includes(outsideText),
        outsideChanged: around() !== untouched,
      };
      forget();
      return result;
    },
    reset() {
      for (const path of [state, canary, join(top, 'clone')]) rmSync(path, { recursive: true, force: true });
      mkdirSync(project, { recursive: true });
      untouched = around();
      forget();
    },
    async remove() {
      diagnostics.unsubscribe('child_process', onChild);
      diagnostics.unsubscribe('net.client.socket', onSocket);
      for (const [name, value] of Object.entries(before)) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
      await new Promise((resolve) => server.close(resolve));
      rmSync(top, { recursive: true, force: true });
    },
  };
}

/** Records every request and answers with an error. */
async function trapServer(seen: { trapped: number; received: string }): Promise<Server> {
  const server = createServer((socket) => {
    seen.trapped++;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      seen.received += bytes.toString('latin1');
      socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** A server that runs is stopped as a signal would, once it says that it listens. */
function stopServing(printed: () => string): () => void {
  const known = new Set(process.listeners('SIGTERM'));
  const timer = setInterval(() => {
    if (!/listening|serving/i.test(printed())) return;
    for (const listener of process.listeners('SIGTERM')) if (!known.has(listener)) listener('SIGTERM');
  }, 20);
  return () => clearInterval(timer);
}

function makeOutside(outside: string): void {
  const files: Readonly<Record<string, string>> = {
    'skills/private/SKILL.md': `---\nname: private\ndescription: ${outsideText}\n---\n${outsideText}\n`,
    'plain/notes.txt': outsideText,
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(outside, name)), { recursive: true });
    writeFileSync(join(outside, name), text);
  }
}

function treeDigest(folder: string): string {
  const hash = createHash('sha256');
  const walk = (path: string): void => {
    const stat = lstatSync(path);
    hash.update(`${path}\n${stat.mode}\n`);
    if (stat.isDirectory()) for (const name of readdirSync(path).sort()) walk(join(path, name));
    else if (stat.isFile()) hash.update(readFileSync(path));
  };
  walk(folder);
  return hash.digest('hex');
}
