/** `mcp:URL`: an MCP server at an address. */

import { given } from '../../given.ts';
import { addressActs } from '../../trust/location-acts.ts';
import { httpUrl, isPlainHttp } from '../http-address.ts';
import { openServer, serverSettings } from '../open-server.ts';
import type { OriginKind } from '../origin-kind.ts';
import { textField } from '../place-fields.ts';
import type { OpenOriginOptions } from '../place-way.ts';

export interface McpLocation {
  readonly kind: 'mcp';
  readonly url: string;
}

export interface OriginServer {
  readonly label?: string;
  /** Normalized; `http:` or `https:`, without user, password and fragment. */
  readonly url: string;
}

export const mcp: OriginKind<McpLocation, OriginServer> = {
  key: 'mcp',
  prefixed: {
    prefixes: ['mcp:'],
    parse: (text, prefix, insecureHttp) => ({ url: serverUrl(text.slice(prefix.length), insecureHttp) }),
  },
  spec: 'url',
  location: ({ url }) => ({ kind: 'mcp', url }),
  read: (fields, insecureHttp) => ({ kind: 'mcp', url: serverUrl(textField(fields, 'url'), insecureHttp) }),
  text: ({ url }) => `mcp:${url}`,
  local: false,
  polled: true,
  credentials: 'http',
  acts: ({ url }, around) => addressActs(url, around),
  open: (location, way) => openServer(server(location, way)),
  server: async (location, way) => server(location, way),
};

function server({ url }: McpLocation, way: OpenOriginOptions) {
  const { guarded, token, headers, concurrency } = way;
  return {
    ...serverSettings(way),
    url,
    insecureHttp: isPlainHttp(url),
    namedByUser: guarded !== true,
    ...given({ token, headers, concurrency }),
  };
}

/** The address of an MCP server, normalised. @throws SkillwireError USAGE */
function serverUrl(written: string, insecureHttp: boolean): string {
  const example = 'write mcp:https://HOST/PATH, for example mcp:http://127.0.0.1:4711/mcp';
  return httpUrl('mcp:', written, insecureHttp, example).href;
}
