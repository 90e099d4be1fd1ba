import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { testStore } from '../../testing/test-store.ts';
import { openStore } from './open-store.ts';

describe('openStore() passes the tests of the port', () => {
  testStore({
    test,
    create: async () => {
      const top = mkdtempSync(join(tmpdir(), 'skillwire-store-'));
      const folders = { stateFolder: join(top, 'state'), cacheFolder: join(top, 'cache') };
      const onCorrupt = (): void => undefined;
      return {
        store: await openStore({ ...folders, onCorrupt }),
        openAgain: () => openStore(folders),
        async damageBlob(digest) {
          const path = join(top, 'cache/blobs/sha256', digest.slice(7, 9), digest.slice(9));
          chmodSync(path, 0o600);
          const bytes = readFileSync(path);
          bytes[0] = (bytes[0] ?? 0) ^ 1;
          writeFileSync(path, bytes);
        },
        cleanUp: async () => rmSync(top, { recursive: true, force: true }),
      };
    },
  });
});
