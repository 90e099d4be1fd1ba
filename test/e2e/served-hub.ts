/** `skillwire serve --mdp` in a process of its own, whose memory can be watched. */
import { execFileSync } from 'node:child_process';
import { type CliFolder, type CliProcess, cliFolder, skillText } from './cli-process.ts';

export interface ServedHub extends AsyncDisposable {
  readonly process: CliProcess;
  readonly url: string;
  readonly ws: string;
  /** Resident memory of the process, in MiB. */
  memory(): number;
  isAlive(): Promise<boolean>;
}

export async function serveHub(options: readonly string[] = []): Promise<ServedHub> {
  const folder: CliFolder = cliFolder();
  folder.write({ 'skills/pdf-tools/SKILL.md': skillText('pdf-tools') });
  const served = folder.start(['serve', 'skills', '--http', '0', '--mdp', '--json', ...options]);
  const line = await served.seen('stdout', /\{.*"listening".*\}/);
  const { url, mdp } = JSON.parse(line.trim()) as { url: string; mdp: string };
  return {
    process: served,
    url,
    ws: mdp,
    memory: () => Number(execFileSync('ps', ['-o', 'rss=', '-p', String(served.child.pid)])) / 1024,
    async isAlive() {
      return served.child.exitCode === null && (await fetch(`${url}/healthz`)).ok;
    },
    async [Symbol.asyncDispose]() {
      served.child.kill('SIGTERM');
      await served.ended;
      folder.remove();
    },
  };
}
