/** What this client says to MCP servers about itself and about the revisions that it speaks. */
import { anyEntryExtensionId, skillsExtensionId } from '../../dialects/skills-extension/capability.ts';
import { isJsonObject } from '../../skill/json.ts';

/** Which generation of the protocol is spoken; `auto` asks the server. */
export type EraOption = 'auto' | 'modern' | 'legacy';

export const modernVersion = '2026-07-28';
/** Offered to servers of the older way; they answer with the one they want. */
export const legacyVersion = '2025-11-25';
const legacyVersions = new Set(['2024-11-05', '2025-03-26', '2025-06-18', legacyVersion]);

export const clientInfo = { name: 'skillwire', version: '0.1.0' } as const;

/** What a client of one kind says about itself. */
export interface ClientManner {
  readonly capabilities: Readonly<Record<string, Readonly<Record<string, object>>>>;
  /** `_meta` of each request of the modern revision. */
  readonly requestMeta: Readonly<Record<string, unknown>>;
}

function mannerOf(capabilities: ClientManner['capabilities']): ClientManner {
  return {
    capabilities,
    requestMeta: {
      'io.modelcontextprotocol/protocolVersion': modernVersion,
      'io.modelcontextprotocol/clientCapabilities': capabilities,
      'io.modelcontextprotocol/clientInfo': clientInfo,
    },
  };
}

/**
 * Strict servers answer questions about skills only to clients that declare the extension. This client checks every entry of a
 * listing by itself, so one that others reject does no harm.
 */
export const declaring: ClientManner = mannerOf({
  extensions: { [skillsExtensionId]: {}, [anyEntryExtensionId]: {} },
});

/** Servers that speak SEP-2076 and the extension answer `skills/list` by name only to clients that do not declare it (C-11). */
export const silent: ClientManner = mannerOf({});

export const serverInfoKey = 'io.modelcontextprotocol/serverInfo';

export function isLegacyVersion(value: unknown): value is string {
  return typeof value === 'string' && legacyVersions.has(value);
}

/** JSON-RPC and MCP codes that decide something here. */
export const rpcCodes = {
  methodNotFound: -32601,
  invalidParams: -32602,
  /** Before 2026-07-28; still accepted. */
  resourceNotFound: -32002,
  unsupportedVersion: -32022,
} as const;

export interface ServerInfo {
  readonly name: string;
  readonly version: string;
}

const longestName = 200;

/** The name and version that a server gives itself, where it gives any. */
export function decodeServerInfo(value: unknown): ServerInfo | undefined {
  if (!isJsonObject(value) || typeof value['name'] !== 'string') return undefined;
  const { name, version } = value as { name: string; version: unknown };
  return {
    name: name.slice(0, longestName),
    version: typeof version === 'string' ? version.slice(0, longestName) : '',
  };
}
