/** The declarations of this client to MCP servers: its identity, capabilities and protocol revisions. */
import { anyEntryExtensionId, skillsExtensionId } from '../../dialects/skills-extension/capability.ts';
import { isJsonObject } from '../../skill/json.ts';

/** The protocol generation; `auto` asks the server. */
export type EraOption = 'auto' | 'modern' | 'legacy';

export const modernVersion = '2026-07-28';
/** Offered to older servers; they answer with their own choice. */
export const legacyVersion = '2025-11-25';
const legacyVersions = new Set(['2024-11-05', '2025-03-26', '2025-06-18', legacyVersion]);

export const clientInfo = { name: 'skillwire', version: '0.1.0' } as const;

export interface ClientProfile {
  readonly capabilities: Readonly<Record<string, Readonly<Record<string, object>>>>;
  /** `_meta` of each request of the modern revision. */
  readonly requestMeta: Readonly<Record<string, unknown>>;
}

function profileOf(capabilities: ClientProfile['capabilities']): ClientProfile {
  return {
    capabilities,
    requestMeta: {
      'io.modelcontextprotocol/protocolVersion': modernVersion,
      'io.modelcontextprotocol/clientCapabilities': capabilities,
      'io.modelcontextprotocol/clientInfo': clientInfo,
    },
  };
}

/** The same client, which declares one more extension. */
export function withExtension({ capabilities }: ClientProfile, id: string): ClientProfile {
  return profileOf({ ...capabilities, extensions: { ...capabilities['extensions'], [id]: {} } });
}

/**
 * Strict servers serve skills only to clients that declare the extension. This client checks every listed entry itself,
 * so declaring `anyEntry` does no harm.
 */
export const declaringClient: ClientProfile = profileOf({
  extensions: { [skillsExtensionId]: {}, [anyEntryExtensionId]: {} },
});

/**
 * Servers with both SEP-2076 and the extension answer `skills/list` by name only to clients that do not declare it
 * (C-11).
 */
export const undeclaringClient: ClientProfile = profileOf({});

export const serverInfoKey = 'io.modelcontextprotocol/serverInfo';

export function isLegacyVersion(value: unknown): value is string {
  return typeof value === 'string' && legacyVersions.has(value);
}

/** JSON-RPC and MCP codes that matter here. */
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

/** The server's own name and version, if any. */
export function decodeServerInfo(value: unknown): ServerInfo | undefined {
  if (!isJsonObject(value) || typeof value['name'] !== 'string') return undefined;
  const { name, version } = value as { name: string; version: unknown };
  return {
    name: name.slice(0, longestName),
    version: typeof version === 'string' ? version.slice(0, longestName) : '',
  };
}
