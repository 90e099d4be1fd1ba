import { expect, test } from 'vitest';
import { repositoryAddress } from './repository-route.ts';

const shown = (repository: string): string | undefined => {
  const address = repositoryAddress(repository);
  return address === undefined || address.kind === 'local' ? address?.kind : `${address.kind} ${address.host}`;
};

test.each([
  ['https://example.com/x.git', 'http example.com'],
  ['HTTP://EXAMPLE.com:8080/x', 'http example.com'],
  ['https://[::1]/x', 'http ::1'],
  ['https://2130706433/x', 'http 127.0.0.1'],
  ['ssh://git@example.com:2222/x', 'ssh example.com'],
  ['ssh://git@[fe80::1]/x', 'ssh fe80::1'],
  ['git@example.com:owner/repo.git', 'ssh example.com'],
  ['example.com:repo', 'ssh example.com'],
  ['git@[::1]:repo', 'ssh ::1'],
  ['file:///srv/repo.git', 'local'],
  ['/srv/repo.git', 'local'],
  ['./a:b', 'local'],
  ['C:\\repo', 'local'],
  ['C:/repo', 'local'],
  ['git://example.com/x', undefined],
  ['ftp://example.com/x', undefined],
  ['ext::sh -c true', undefined],
  ['https::https://example.com/x', undefined],
  ['https://[::1/x', undefined],
])('%s is %s', (repository, kind) => {
  expect(shown(repository)).toBe(kind);
});
