/** Reads how a server introduces itself: `server/discover` of the modern revision, `initialize` of the older ones. */
import { SkillwireError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import { isJsonObject } from '../../skill/json.ts';
import {
  decodeServerInfo,
  isLegacyVersion,
  legacyVersion,
  modernVersion,
  rpcCodes,
  serverInfoKey,
} from './protocol.ts';
import { decodeInstructions, type RpcError, type Wire } from './wire.ts';

export type Introduction = Pick<Wire, 'protocolVersion' | 'capabilities' | 'serverInfo' | 'instructions'>;

function introduction(
  protocolVersion: string,
  { capabilities, instructions }: Readonly<Record<string, unknown>>,
  serverInfo: unknown,
): Introduction {
  const info = decodeServerInfo(serverInfo);
  const text = decodeInstructions(instructions);
  return { protocolVersion, capabilities, serverInfo: info, instructions: text };
}

/** Reads the answer to `server/discover`; `'legacy'` if it is invalid or names only older revisions. */
export function readDiscovery(result: unknown): Introduction | 'legacy' {
  const versions = isJsonObject(result) ? result['supportedVersions'] : undefined;
  if (!isJsonObject(result) || !Array.isArray(versions)) return 'legacy';
  if (versions.includes(modernVersion)) {
    const meta = result['_meta'];
    return introduction(
      modernVersion,
      result,
      (isJsonObject(meta) ? meta[serverInfoKey] : undefined) ?? result['serverInfo'],
    );
  }
  if (versions.some(isLegacyVersion)) return 'legacy';
  throw unknownVersions(versions);
}

/**
 * True for the errors by which older servers report that they do not know `server/discover`. They differ, so almost all
 * count.
 */
export function isLegacyError(error: RpcError): boolean {
  if (error.code !== rpcCodes.unsupportedVersion) return true;
  const supported = isJsonObject(error.data) ? error.data['supported'] : undefined;
  return !Array.isArray(supported) || supported.some(isLegacyVersion);
}

/** Reads the answer to `initialize`. */
export function readInitialize(result: unknown): Introduction {
  const version = isJsonObject(result) ? result['protocolVersion'] : undefined;
  if (!isJsonObject(result) || !isLegacyVersion(version)) throw unknownVersions([version]);
  return introduction(version, result, result['serverInfo']);
}

function unknownVersions(versions: readonly unknown[]): SkillwireError {
  return new SkillwireError(
    'BAD_ANSWER',
    `Cannot connect: the server supports only the revisions ${quoteText(versions.map(String).join(', '))}. Skillwire supports "${modernVersion}", "${legacyVersion}" and earlier ones.`,
    { data: { versions } },
  );
}

/** The server answers, but does not introduce itself. */
export function introductionRefused({ code, message, data }: RpcError): SkillwireError {
  const supported = isJsonObject(data) ? data['supported'] : undefined;
  if (code === rpcCodes.unsupportedVersion && Array.isArray(supported)) return unknownVersions(supported);
  return new SkillwireError(
    'ORIGIN_FAILED',
    `Cannot connect: the server returned error ${code}, ${quoteText(message)}.`,
    { data: { rpcCode: code } },
  );
}

/** The modern revision is required, but the server does not speak it. */
export function modernRefused(cause?: unknown): SkillwireError {
  return new SkillwireError(
    'BAD_ANSWER',
    `Cannot connect: the server does not support revision "${modernVersion}". Allow older revisions.`,
    {
      cause,
    },
  );
}
