/** A person who waits at a terminal for more than a second sees how far a command is. Programs see nothing of it. */
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { misbehavingServer } from '../../src/testing/misbehaving/misbehaving-server.ts';
import { type CliFolder, cliFolder } from './cli-process.ts';
import { atTerminal, controlC, hasTerminal } from './terminal.ts';

let folder: CliFolder;
beforeEach(() => {
  folder = cliFolder();
});
afterEach(() => folder.remove());

test.skipIf(!hasTerminal)('verify counts skills and bytes on a terminal', async () => {
  await using server = await misbehavingServer({ behavior: 'hang-file' });
  const { screen, exitCode, answered } = await atTerminal(folder, ['verify', `mcp:${server.url}`], {
    to: ': 1 skill, ',
    text: controlC,
  });
  expect({ exitCode, answered }, screen).toEqual({ exitCode: 130, answered: 1 });
  expect(stripVTControlCharacters(screen)).toMatch(
    /\rVerifying mcp:http:\/\/127\.0\.0\.1:\d+\/\S*: 1 skill, [\d.]+ K?i?B \.\.\./,
  );
});
