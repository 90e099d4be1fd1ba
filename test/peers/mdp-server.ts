/** Starts `mdp-server.mjs`, the stand-in for the reference server, as a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { eventually } from '../eventually.ts';

export const mdpServerFile: string = join(import.meta.dirname, 'mdp-server.mjs');

export interface MdpServerProcess {
  /** `ws://127.0.0.1:PORT` */
  readonly ws: string;
  readonly http: string;
  readonly child: ChildProcess;
  close(): Promise<void>;
}

/** @param command the program and its arguments; it tells on stderr where it listens */
export async function startMdpServer(
  command: readonly string[] = [process.execPath, mdpServerFile],
): Promise<MdpServerProcess> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.on('data', (part: Buffer) => {
    said += part.toString();
  });
  child.stdout.resume();
  const ws = await eventually(() => {
    const found = /ws:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0];
    if (found === undefined) throw new Error(`the MDP server does not listen yet: ${said}`);
    return found;
  });
  return {
    ws,
    http: ws.replace('ws:', 'http:'),
    child,
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
}

/** A port that was free a moment ago, for programs that need one as an argument. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
