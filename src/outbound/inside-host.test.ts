import { expect, test } from 'vitest';
import { isInsideHost } from './inside-host.ts';

test.each([
  'localhost',
  'LOCALHOST',
  'a.localhost',
  'localhost.',
  '127.0.0.1',
  '[::1]',
  '10.1.2.3',
  '169.254.169.254',
  '[fd00::1]',
])('%s is inside', (host) => expect(isInsideHost(host)).toBe(true));
test.each([
  'printer',
  'nas.local',
  'api.internal',
  'wiki.corp',
  'router.lan',
  'x.home.arpa',
  'metadata.google.internal.',
])('%s is inside by its name', (host) => expect(isInsideHost(host)).toBe(true));
test.each(['example.com', 'local.example.com', 'internal.example.com', '8.8.8.8', '[2606:4700::1111]', 'xlocal.com'])(
  '%s is not',
  (host) => expect(isInsideHost(host)).toBe(false),
);
