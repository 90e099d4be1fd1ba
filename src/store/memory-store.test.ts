import { describe, test } from 'vitest';
import { testStore } from '../testing/test-store.ts';
import { memoryStore } from './memory-store.ts';

describe('memoryStore() keeps the promises of a store', () => {
  testStore({
    test,
    create: async () => ({ store: memoryStore() }),
  });
});
