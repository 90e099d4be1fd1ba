import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runToEnd } from './process-group.ts';
import { type ScratchFolder, scratchFolder } from './scratch-folder.ts';

const WAIT_FOR_EVER = 'setInterval(() => {}, 1000)';
// The grandchild inherits stdout, so the pipe stays open for as long as it lives.
const START_GRANDCHILD = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(WAIT_FOR_EVER)}], { stdio: 'inherit' });`;

describe('runToEnd()', { timeout: 60_000 }, () => {
  let scratch: ScratchFolder;

  beforeEach(async () => {
    scratch = await scratchFolder();
  });

  afterEach(async () => {
    await scratch.remove();
  });

  test('returns the exit code and both outputs', async () => {
    const run = await runScript('console.log("one"); console.error("two"); process.exitCode = 7;', 20_000);
    expect(run).toEqual({ exitCode: 7, stdout: 'one\n', stderr: 'two\n' });
  });

  test('kills the whole process group at the deadline and keeps its output', async () => {
    const script = `console.log('so far'); ${START_GRANDCHILD} ${WAIT_FOR_EVER}`;
    await expect(runScript(script, 3_000)).rejects.toThrow(/did not end within 3000 ms and was killed[\s\S]*so far/);
  });

  test('does not wait for a grandchild that outlives the program', async () => {
    const script = `${START_GRANDCHILD} setTimeout(() => process.exit(0), 300)`;
    expect(await runScript(script, 20_000)).toMatchObject({ exitCode: 0 });
  });

  test('rejects if a signal ends the program', async () => {
    await expect(runScript('process.kill(process.pid, "SIGTERM")', 20_000)).rejects.toThrow('ended by SIGTERM');
  });

  test('rejects if the program does not exist', async () => {
    const missing = runToEnd('/nonexistent/program', [], { env: scratch.env, cwd: scratch.path, deadlineMs: 20_000 });
    await expect(missing).rejects.toThrow('ENOENT');
  });

  function runScript(script: string, deadlineMs: number): ReturnType<typeof runToEnd> {
    return runToEnd(process.execPath, ['-e', script], { env: scratch.env, cwd: scratch.path, deadlineMs });
  }
});
