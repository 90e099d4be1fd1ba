import { expect, test } from 'vitest';
import { mdpFlags, mdpOptions } from './mdp-options.ts';

const guards = { host: '127.0.0.1', port: 4711, allowedOrigins: ['https://page.example'] };
const around = { env: { HUB_TOKEN: 'sesame' }, stdio: false, guards };

test('mdpOptions() accepts runtimes only if asked to', () => {
  expect(mdpOptions({}, around)).toBeUndefined();
  expect(mdpOptions({ mdp: true }, around)).toEqual({ tokens: {} });
});

test('mdpOptions() gives runtimes their own address, with the guards of the server', () => {
  const mdpPort = { host: '127.0.0.1', port: 1 };
  expect(mdpOptions({ mdpPort }, around)?.listen).toEqual({ ...guards, port: 1 });
  expect(mdpOptions({ mdp: true }, { ...around, stdio: true })?.listen).toEqual({ ...guards, port: 47_372 });
});

test('mdpOptions() reads tokens from the environment, by the names of their variables', () => {
  const options = {
    mdp: true,
    mdpTokenEnv: ['HUB_TOKEN'],
    mdpForwardHeader: ['cookie'],
    mdpContentType: ['text/html'],
  };
  expect(mdpOptions(options, around)).toEqual({
    tokens: { HUB_TOKEN: 'sesame' },
    forwardHeaders: ['cookie'],
    contentTypes: ['text/html'],
  });
});

test('mdpFlags() writes the same options again', () => {
  const options = {
    mdp: true,
    mdpPort: { host: '::1', port: 1 },
    mdpTokenEnv: ['A', 'B'],
    mdpForwardHeader: ['cookie'],
    mdpContentType: ['text/html'],
  };
  expect(mdpFlags(options).join(' ')).toBe(
    '--mdp --mdp-port [::1]:1 --mdp-token-env A --mdp-token-env B --mdp-forward-header cookie --mdp-content-type text/html',
  );
  expect(mdpFlags({})).toEqual([]);
});
