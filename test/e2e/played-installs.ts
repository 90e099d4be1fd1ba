/** The commands that install, as part of running every command. */
import type { Play } from './played-commands.ts';

export async function playInstalling({ folder, run }: Play): Promise<void> {
  const adding = ['add', './skills', 'on-call', '--agent', 'claude-code'];
  await run('error', ...adding);
  const refused = await folder.run([...adding, '--json']);
  const { error } = JSON.parse(refused.stderr) as { error: { data: { planDigest: string } } };
  await run('add', ...adding, '--approve', error.data.planDigest, '--dry-run');
  await run('add', ...adding, '--approve', error.data.planDigest);
  await run('install', 'install');
  await run('update', 'update', '--check');
  await run('update', 'update');
  folder.write({ '.agents/skills/on-call/SKILL.md': 'Other. \u001b[31m\n' });
  await run('diff', 'diff', '--installed');
  folder.write({ '.agents/skills/on-call/notes.md': 'Mine. \u001b[31m\n' });
  await run('ls', 'ls');
  await run('doctor', 'doctor', '--offline');
  await run('install', 'install', '--edits', 'keep');
  await run('remove', 'remove', 'on-call', '--edits', 'save');
}
