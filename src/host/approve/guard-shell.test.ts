import { expect, test } from 'vitest';
import { PolicyError } from '../../errors.ts';
import { guardExecution } from './execution.ts';

test('guardExecution() runs allowed commands with their options', async () => {
  const questions: string[] = [];
  const allowExecution = async (command: string): Promise<void> => void questions.push(command);
  const host = { acting: { list: () => [], allowExecution } };
  const signal = new AbortController().signal;
  const shell = guardExecution(host, async (command: string, options) => [command, options.signal]);
  expect(await shell('npm test', { signal })).toEqual(['npm test', signal]);
  const run = guardExecution(host, (input: { argv: string[] }) => input.argv.length);
  expect(await run({ argv: ['a', 'b'] })).toBe(2);
  const described = guardExecution(host, (input: number) => input, { describe: (input) => `number ${input}` });
  expect(await described(3)).toBe(3);
  expect(questions).toEqual(['npm test', '{"argv":["a","b"]}', 'number 3']);
});

test('guardExecution() does not run refused commands', async () => {
  let ran = false;
  const allowExecution = () => Promise.reject(new PolicyError('NOT_APPROVED', 'no'));
  const host = { acting: { list: () => [], allowExecution } };
  const shell = guardExecution(host, () => {
    ran = true;
  });
  await expect(shell('rm -rf /')).rejects.toMatchObject({ code: 'NOT_APPROVED' });
  expect(ran).toBe(false);
});
