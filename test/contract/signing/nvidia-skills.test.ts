import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInProcess } from '../../run-in-process.ts';

/** A checkout of NVIDIA/skills at commit 7149a88, whose 344 skills are signed. */
const checkout = process.env['SKILLWIRE_NVIDIA_SKILLS'] ?? '';
const root = join(checkout, 'nv-agent-root-cert.pem');
const present = checkout !== '' && existsSync(root);
if (!present)
  process.stderr.write('skipped the signatures of NVIDIA/skills: SKILLWIRE_NVIDIA_SKILLS names no checkout\n');

test.skipIf(!present)(
  '344 public skills: 334 are signed, 4 changed after signing, 6 have another authority',
  async () => {
    const home = await mkdtemp(join(tmpdir(), 'skillwire-nvidia-'));
    try {
      const counts: Record<string, number> = {};
      for (const folder of ['skills', 'plugins']) {
        const argv = ['verify', `./${folder}`, '--signer', root, '--subject', 'O=NVIDIA Corporation', '--json'];
        const { stdout } = await runInProcess(argv, { cwd: checkout, env: { SKILLWIRE_HOME: home } });
        const { skills } = JSON.parse(stdout) as { skills: { signature: { state: string } }[] };
        for (const { signature } of skills) counts[signature.state] = (counts[signature.state] ?? 0) + 1;
      }
      const { unsigned: _, ...signed } = counts;
      expect(signed).toEqual({ signed: 334, mismatch: 4, untrusted: 6 });
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  },
);
