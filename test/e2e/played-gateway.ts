/** Commands about the skills, callers and state of a gateway, as part of running every command. */
import { eventually } from '../eventually.ts';
import { hasPostgres, postgresServer } from '../postgres-server.ts';
import type { Play } from './played-commands.ts';

const configuration = {
  origins: { docs: './skills', gone: './gone' },
  policy: { mode: 'approved-only', deny: [{ match: 'broken' }] },
};

export async function playGateway({ folder, run }: Play): Promise<void> {
  folder.write({
    'gateway.json': JSON.stringify(configuration),
    'access.json': JSON.stringify({ origins: { docs: './skills' }, profiles: { readers: {} } }),
  });
  await run('config-check', 'config', 'check', 'gateway.json');
  await run('config-check', 'config', 'check', 'access.json');
  const state = ['--state', 'kept'];
  const profile = ['--profile', 'readers', '--config', 'access.json', ...state];
  const endless = ['--operator', '--approver', '--expires', 'never'];
  await run('token-add', 'token', 'add', 'ci', ...profile);
  await run('token-add', 'token', 'add', 'boss', ...endless, ...profile);
  await run('token-list', 'token', 'list', ...state);
  await run('token-revoke', 'token', 'revoke', 'ci', ...state);
  const person = ['--subject', '248289761001', ...state];
  await run('token-revoke', 'token', 'revoke', ...person);
  await run('token-list', 'token', 'list', ...state);
  await run('token-restore', 'token', 'restore', ...person);
  const denied: readonly (readonly [string, string])[] = [
    ['--match', 'pdf-*'],
    ['--origin', 'gone'],
    ['--digest', `sha256:${'0'.repeat(64)}`],
  ];
  for (const [kind, value] of denied)
    await run('deny-add', 'deny', 'add', kind, value, '--reason', 'red\u001b[31m', ...state);
  await run('deny-list', 'deny', 'list', ...state);
  for (const [kind, value] of denied) await run('deny-remove', 'deny', 'remove', kind, value, ...state);
  await playWaiting({ folder, run }, state);
  await run('state-export', 'state', 'export', 'kept.jsonl', ...state);
  await run('state-import', 'state', 'import', 'kept.jsonl', '--state', 'other');
  await playMove({ folder, run }, state);
  await run('state-check', 'state', 'check', ...state);
}

async function playMove({ folder, run }: Pick<Play, 'folder' | 'run'>, state: readonly string[]): Promise<void> {
  if (!hasPostgres) return;
  const server = await postgresServer();
  try {
    const store = { postgres: server.url(), cluster: 'played' };
    folder.write({ 'shared.json': JSON.stringify({ origins: { docs: './skills' }, store }) });
    const stores = ['--from', 'embedded', '--to', 'postgres'];
    await run('state-move', 'state', 'move', ...stores, '--config', 'shared.json', ...state);
  } finally {
    await server.remove();
  }
}

async function playWaiting({ folder, run }: Pick<Play, 'folder' | 'run'>, state: readonly string[]): Promise<void> {
  const server = folder.start(['serve', '--config', 'gateway.json', '--http', '0', '--json', ...state]);
  try {
    const { url } = JSON.parse(await server.seen('stdout', /\n/)) as { url: string };
    await eventually(async () => {
      const { stdout } = await folder.run(['waiting', '--json', ...state]);
      if ((JSON.parse(stdout) as { waiting: unknown[] }).waiting.length === 0)
        throw new Error('nothing is waiting yet');
    }, 200);
    await run('waiting', 'waiting', '--all', ...state);
    await run('status', 'status', url);
    const place = ['--config', 'gateway.json', ...state];
    await run('review', 'review', ...place);
    await run('approve', 'approve', '--all', ...place);
    const { stdout } = await folder.run(['review', '--json', ...place]);
    folder.write({ 'reviewed.json': stdout });
    const { planDigest } = JSON.parse(stdout) as { planDigest: string };
    await run('approve', 'approve', '--from-file', 'reviewed.json', ...place);
    await run('approve', 'approve', 'docs', '--all', '--yes', planDigest, ...place);
    await run('review', 'review', 'docs', ...place);
  } finally {
    server.child.kill();
    await server.ended;
  }
}
