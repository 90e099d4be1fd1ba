import { InMemoryServerEventBus, type ServerEvent } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import type { Catalog, CatalogChange } from '../../catalog/catalog.ts';
import { notifyServer, publishChanges } from './change-notifier.ts';

/** A catalog that changes on request. */
function changeable(): { catalog: Catalog; change: (change: Partial<CatalogChange>) => void; listeners: () => number } {
  const listeners = new Set<(change: CatalogChange) => void>();
  const catalog = {
    subscribe(listener: (change: CatalogChange) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as Catalog;
  const nothing = { added: [], removed: [], changed: [], files: [] };
  return {
    catalog,
    change: (change) => {
      for (const listener of listeners) listener({ ...nothing, ...change } as CatalogChange);
    },
    listeners: () => listeners.size,
  };
}

const edited = { changed: ['skill://a/SKILL.md'], files: ['skill://a/SKILL.md', 'skill://a/b.md'] };

describe('publishChanges()', () => {
  test('publishes the list and every changed file until it is stopped', () => {
    const { catalog, change, listeners } = changeable();
    const bus = new InMemoryServerEventBus();
    const events: ServerEvent[] = [];
    bus.subscribe((event) => events.push(event));
    const stop = publishChanges(catalog, bus);
    change(edited);
    expect(events).toEqual([
      { kind: 'resources_list_changed' },
      { kind: 'resource_updated', uri: 'skill://a/SKILL.md' },
      { kind: 'resource_updated', uri: 'skill://a/b.md' },
    ]);
    change({});
    expect(events).toHaveLength(3);
    stop();
    expect(listeners()).toBe(0);
  });
});

describe('notifyServer()', () => {
  function server() {
    const sent: string[] = [];
    return {
      sent,
      transport: {} as unknown,
      async sendResourceListChanged(): Promise<void> {
        sent.push('list');
      },
      async sendResourceUpdated({ uri }: { uri: string }): Promise<void> {
        sent.push(uri);
      },
    };
  }
  const all = { ready: () => true, wanted: (changed: readonly string[]) => changed };

  test.each([
    ['skills were added', { added: ['skill://a/SKILL.md'] }, ['list']],
    ['skills were removed', { removed: ['skill://a/SKILL.md'] }, ['list']],
    ['files changed', edited, ['list', ...edited.files]],
    ['only findings changed', {}, []],
  ])('sends the changes that clients see when %s', (_, what, expected) => {
    const { catalog, change } = changeable();
    const one = server();
    notifyServer(catalog, one, all);
    change(what);
    expect(one.sent).toEqual(expected);
  });

  test('names only requested changes', () => {
    const { catalog, change } = changeable();
    const one = server();
    notifyServer(catalog, one, { ...all, wanted: () => ['skill://a/%62.md'] });
    change(edited);
    expect(one.sent).toEqual(['list', 'skill://a/%62.md']);
  });

  test('sends nothing before the client is ready, nor without a connection', () => {
    const { catalog, change } = changeable();
    const early = server();
    const gone = { ...server(), transport: undefined };
    notifyServer(catalog, early, { ...all, ready: () => false });
    notifyServer(catalog, gone, all);
    change(edited);
    expect([early.sent, gone.sent]).toEqual([[], []]);
  });

  test('reports a failure to send, unless the connection has ended', async () => {
    const { catalog, change } = changeable();
    const errors: string[] = [];
    const failing = { ...server(), sendResourceListChanged: () => Promise.reject(new Error('full')) };
    notifyServer(catalog, failing, { ...all, onerror: ({ message }) => errors.push(message) });
    change({ added: ['skill://a/SKILL.md'] });
    await eventually(() => expect(errors).toEqual(['full']));
    change({ added: ['skill://a/SKILL.md'] });
    failing.transport = undefined;
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(errors).toEqual(['full']);
  });
});
