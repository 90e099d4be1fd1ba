import { describe, test } from 'vitest';
import { testStore } from '../testing/test-store.ts';
import { memoryStore } from './memory-store.ts';

describe('memoryStore() passes the tests of the port', () => {
  testStore({
    test,
    create: async () => ({ store: memoryStore() }),
  });
});
