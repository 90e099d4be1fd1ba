/** Upstreams on real sockets and a gateway over them, for tests. Everything ends with the test. */
import { onTestFinished } from 'vitest';

import { createGateway, type Gateway, type GatewayOptions, type GatewayOrigin } from '../../../src/gateway/gateway.ts';
import { limits } from '../../../src/limits.ts';
import { type ServeHandle, type ServeSourceOptions, serve } from '../../../src/node/serve.ts';
import type { OriginLocation } from '../../../src/origins/kinds.ts';
import { openLocation } from '../../../src/origins/open-origin.ts';
import type { OpenOriginOptions } from '../../../src/origins/origin-kind.ts';
import type { OriginSettings } from '../../../src/origins/origin-schema.ts';
import { viaHeader } from '../../../src/origins/started-by.ts';
import type { UpstreamEvent, UpstreamReport } from '../../../src/transforms/upstream-report.ts';
import { loneHost } from '../../lone-host.ts';

export const gatewayId = 'test-gateway-0001';

/** An origin of a gateway as the configuration would make it. */
export function originAt(
  label: string,
  place: OriginLocation,
  settings: OriginSettings = {},
  way: OpenOriginOptions = {},
): GatewayOrigin {
  return {
    label,
    kind: place.kind,
    key: JSON.stringify([place, way]),
    settings,
    secrets: way.token === undefined ? [] : [way.token],
    open: () =>
      openLocation(place, {
        ownDigests: true,
        watch: true,
        cache: false,
        concurrency: limits.gateway.mostConcurrency,
        ...way,
        headers: { [viaHeader]: gatewayId, ...way.headers },
      }),
  };
}

export interface ServedGateway {
  readonly gateway: Gateway;
  readonly handle: ServeHandle;
  readonly url: string;
  readonly mcp: string;
  readonly events: UpstreamEvent[];
  report(label: string): UpstreamReport;
}

export async function serveGateway(
  origins: readonly GatewayOrigin[],
  options: Partial<GatewayOptions> & Pick<ServeSourceOptions, 'surfaces'> = {},
): Promise<ServedGateway> {
  const { surfaces, ...own } = options;
  const events: UpstreamEvent[] = [];
  const gateway = await createGateway(origins, { id: gatewayId, onEvent: (event) => events.push(event), ...own });
  const handle = await serve({
    source: gateway.source,
    gateway,
    http: { host: '127.0.0.1', port: 0 },
    ...(surfaces === undefined ? {} : { surfaces }),
  });
  onTestFinished(() => handle.close());
  return {
    gateway,
    handle,
    url: handle.url ?? '',
    mcp: handle.mcp ?? '',
    events,
    report(label) {
      const found = gateway.origins().find((report) => report.label === label);
      if (found === undefined) throw new Error(`no origin "${label}"`);
      return found;
    },
  };
}

/** A server of skills that can be stopped and started again at the same address. */
export async function serveSkills(
  source: ServeSourceOptions['source'],
  at: { readonly host: string; readonly port: number } = { host: loneHost(), port: 0 },
): Promise<ServeHandle> {
  const handle = await serve({ source, http: at });
  onTestFinished(() => handle.close());
  return handle;
}
