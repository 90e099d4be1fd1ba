import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CliFolder, cliFolder, skillText } from './cli-process.ts';

let folder: CliFolder;
let digests: string;

beforeAll(async () => {
  folder = cliFolder();
  digests = join(folder.path, 'no-home/cache/digests');
  const files: Record<string, string> = {};
  for (let index = 0; index < 200; index++) {
    files[`skills/skill-${index}/SKILL.md`] = skillText(`skill-${index}`, `Body ${index}.\n`);
    files[`skills/skill-${index}/references/a.md`] = `Reference ${index}\n`;
  }
  folder.write(files);
  // Files younger than the coarsest clock of a disk are not cached.
  await new Promise((resolve) => setTimeout(resolve, 2_200));
});

afterAll(() => folder.remove());

const validate = ['validate', 'skills', '--files', '--json'];

describe('the digest cache', () => {
  test('--no-cache writes nothing', async () => {
    expect((await folder.run([...validate, '--no-cache'])).exitCode).toBe(0);
    expect(() => readdirSync(digests)).toThrow('ENOENT');
  });

  test('of several simultaneous writers leaves one complete file, and all report the same', async () => {
    const { stdout } = await folder.run([...validate, '--no-cache']);
    const results = await Promise.all([1, 2, 3, 4].map(() => folder.start(validate).ended));
    for (const result of results) expect(result).toEqual({ stdout, stderr: '', exitCode: 0 });
    expect(readdirSync(digests)).toHaveLength(1);
    expect((await folder.run(validate)).stdout).toBe(stdout);
  });

  test('is used, and a later edit is served', async () => {
    await folder.run(validate);
    const [file = ''] = readdirSync(digests);
    const before = readFileSync(join(digests, file));
    await folder.run(validate);
    expect(readFileSync(join(digests, file))).toEqual(before);
    writeFileSync(join(folder.path, 'skills/skill-7/references/a.md'), 'Reference X\n');
    const { stdout } = await folder.run(validate);
    expect(stdout).toBe((await folder.run([...validate, '--no-cache'])).stdout);
  });

  test('that cannot be written does no harm', async () => {
    const { stdout } = await folder.run([...validate, '--no-cache']);
    rmSync(join(folder.path, 'no-home'), { recursive: true, force: true });
    writeFileSync(join(folder.path, 'no-home'), 'a file');
    expect(await folder.run(validate)).toEqual({ stdout, stderr: '', exitCode: 0 });
    const served = folder.start(['serve', 'skills', '--http', '0', '--json']);
    await served.seen('stderr', /serves 200 skills/);
    served.child.kill('SIGTERM');
    expect((await served.ended).exitCode).toBe(0);
  });
});

test('--version prints the version alone', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  for (const flag of ['--version', '-V'])
    expect(await folder.start([flag]).ended).toEqual({ stdout: `${version}\n`, stderr: '', exitCode: 0 });
});
