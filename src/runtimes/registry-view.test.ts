import { describe, expect, test } from 'vitest';
import { createRuntimeRegistry } from './create-runtime-registry.ts';
import { registryView } from './registry-view.ts';
import type { RuntimeRegistry } from './runtime-registry.ts';

function registered(): { registry: RuntimeRegistry; called: string[] } {
  const registry = createRuntimeRegistry();
  const called: string[] = [];
  for (const id of ['tab', 'device']) {
    const session = registry.open({
      mode: 'ws',
      secure: false,
      send(message) {
        if (message.type !== 'callClient') return;
        called.push(`${id}${message.path}`);
        session.receive({ type: 'callClientResult', requestId: message.requestId, ok: true, data: 'text' });
      },
      close: () => undefined,
    });
    const paths = ['/open/skill.md', '/secret/skill.md'].map((path) => ({ type: 'skill' as const, path }));
    session.receive({ type: 'registerClient', client: { id, name: id, paths } });
  }
  return { registry, called };
}

describe('registryView()', () => {
  test('shows the allowed paths, and no runtime without one', async () => {
    const { registry } = registered();
    const view = registryView(registry, (id, path) => id === 'tab' && path.startsWith('/open'));
    expect(view.clients().map(({ id, paths }) => [id, paths.map(({ path }) => path)])).toEqual([
      ['tab', ['/open/skill.md']],
    ]);
    expect(view.client('device')).toBeUndefined();
    expect(view.client('tab')?.paths).toHaveLength(1);
    await registry.close();
  });

  test('answers a forbidden path like a missing one, without calling the runtime', async () => {
    const { registry, called } = registered();
    const view = registryView(registry, (id, path) => id === 'tab' && path.startsWith('/open'));
    const call = (clientId: string, path: string) => view.call({ clientId, method: 'GET', path });
    expect(await call('tab', '/open/skill.md')).toEqual({ ok: true, data: 'text' });
    const said = async (id: string, path: string) =>
      JSON.stringify(await call(id, path))
        .replaceAll(path, '')
        .replaceAll(id, '');
    expect(await said('device', '/open/skill.md')).toBe(await said('nobody', '/open/skill.md'));
    expect(await said('tab', '/secret/skill.md')).toBe(await said('tab', '/open/absent/skill.md'));
    expect(called).toEqual(['tab/open/skill.md']);
    await registry.close();
  });

  test('answers a refused answer like a missing path', async () => {
    const { registry } = registered();
    const view = registryView(
      registry,
      () => true,
      (path, outcome) => path.startsWith('/open') && outcome.ok,
    );
    const call = (path: string) => view.call({ clientId: 'tab', method: 'GET', path });
    expect(await call('/open/skill.md')).toEqual({ ok: true, data: 'text' });
    expect(await call('/secret/skill.md')).toMatchObject({ ok: false, hub: 'not-found' });
    await registry.close();
  });
});
