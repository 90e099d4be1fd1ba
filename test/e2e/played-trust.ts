/** A configuration that came with a folder and that acts, with text for terminals in it, as part of running every command. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Play } from './played-commands.ts';

const configuration = (program: string): string =>
  JSON.stringify({
    origins: { docs: './skills', tools: { stdio: [program, 'red\u001b[31m'], env: { RED: '\u009b31m' } } },
    access: { anonymous: 'everybody' },
    profiles: { everybody: {} },
  });

export async function playTrust({ folder, run }: Play): Promise<void> {
  await run('trust', 'trust');
  folder.write({ 'skillwire.json': configuration('no-such-program') });
  await run('error', 'list');
  await run('origins-list', 'origins', 'list');
  await run('config-check', 'config', 'check');
  await run('doctor', 'doctor');
  await run('trust', 'trust');
  await folder.trust();
  await run('trust', 'trust');
  folder.write({ 'skillwire.json': configuration('another-program') });
  await run('trust', 'trust');
  await run('trust', 'trust', '--list');
  await run('trust', 'trust', '--revoke');
  await run('trust', 'trust', '--list');
  rmSync(join(folder.path, 'skillwire.json'));
}
