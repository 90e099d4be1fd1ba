/** `skillwire approve` stores nothing if a file of the skill fails verification, however the approval is given. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type MisbehavingHttpServer, misbehavingServer } from '../../src/testing/misbehaving/misbehaving-server.ts';
import { type CliInProcess, cliInProcess } from '../cli-in-process.ts';

let cli: CliInProcess;
let server: MisbehavingHttpServer;

beforeEach(async () => {
  cli = cliInProcess();
  server = await misbehavingServer({ behavior: 'digest-lie-file' });
});

afterEach(async () => {
  await server.close();
  cli.remove();
});

async function approvals(): Promise<unknown> {
  return JSON.parse((await cli.run('approvals', '--json')).out).approvals;
}

describe('approve with a file whose digest is wrong', () => {
  test('stops before it asks anybody', async () => {
    const questions: string[] = [];
    const answer = (question: string): string => {
      questions.push(question);
      return 'y';
    };
    const outcome = await cli.at(answer, 'approve', `mcp:${server.url}`, 'refunds');
    expect(outcome).toMatchObject({ exitCode: 7, out: '' });
    expect(outcome.err).toContain('letter.md');
    expect(questions).toEqual([]);
    expect(await approvals()).toEqual([]);
  });

  test('stops even if --yes names the set of the entry', async () => {
    const shown = await cli.run('show', `mcp:${server.url}`, 'refunds', '--json');
    const { setDigest } = JSON.parse(shown.out);
    expect(setDigest).toMatch(/^sha256:/);
    const outcome = await cli.run('approve', `mcp:${server.url}`, 'refunds', '--yes', setDigest);
    expect(outcome).toMatchObject({ exitCode: 7, out: '' });
    expect(await approvals()).toEqual([]);
  });

  test('offers no set to approve as JSON', async () => {
    const outcome = await cli.run('approve', `mcp:${server.url}`, 'refunds', '--json');
    expect(outcome).toMatchObject({ exitCode: 7, out: '' });
  });
});
