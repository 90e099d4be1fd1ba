import { describe, test } from 'vitest';
import { testStore } from '../testing/test-store.ts';
import { memoryStore } from './memory-store.ts';

describe('memoryStore() keeps the promises of a store', () => {
  testStore({
    test,
    create: async () => {
      const errors: unknown[] = [];
      return {
        store: memoryStore({ onListenerError: (error) => errors.push(error) }),
        listenerErrors: () => errors,
      };
    },
  });
});
