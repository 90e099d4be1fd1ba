/**
 * Requests of the readers of older dialects. These dialects are lax about the spelling of URIs and media types, so a
 * read accepts any single content. Digests, if there are any, prove that it is the promised one.
 */
import { decodePlainResult } from '../../../dialects/skills-extension/decode-resources.ts';
import { VerificationError } from '../../../errors.ts';
import { limits } from '../../../limits.ts';
import { quoteText } from '../../../skill/display-text.ts';
import { rpcCodes } from '../protocol.ts';
import { legacyRules, RpcError } from '../wire.ts';

export interface AskOptions {
  /** Of the whole answer as JSON. */
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
  /** Shorter than the origin's. */
  readonly deadlineMs?: number;
}

/** Returns the result. Throws RpcError for an error from the server, SkillwireError for everything else. */
export type RequestServer = (
  method: string,
  params: Readonly<Record<string, unknown>>,
  options: AskOptions,
) => Promise<unknown>;

export interface ResourceReadOptions {
  /** Of the content. */
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
}

/** Reads the single content at a URI. @throws RpcError, VerificationError `contents`, `limit` */
export async function readContent(
  ask: RequestServer,
  uri: string,
  { maxBytes, signal }: ResourceReadOptions,
): Promise<Uint8Array> {
  const result = await ask('resources/read', { uri }, { signal, maxBytes: answerBytes(maxBytes) });
  const [content, ...more] = decodePlainResult(result, uri, { maxBytes, rules: legacyRules });
  if (content === undefined || more.length > 0) {
    const count = content === undefined ? 'no content' : `${more.length + 1} contents`;
    throw new VerificationError('contents', `Cannot use the content of ${quoteText(uri)}: the answer has ${count}.`, {
      data: { uri },
    });
  }
  return content.bytes;
}

/** Like `readContent`; `undefined` if the server does not know the URI. */
export async function findContent(
  ask: RequestServer,
  uri: string,
  options: ResourceReadOptions,
): Promise<Uint8Array | undefined> {
  try {
    return await readContent(ask, uri, options);
  } catch (error) {
    if (error instanceof RpcError && isNotFound(error)) return undefined;
    throw error;
  }
}

export function isNotFound({ code }: RpcError): boolean {
  return code === rpcCodes.invalidParams || code === rpcCodes.resourceNotFound;
}

/** Room for content in the most verbose JSON, with its envelope. */
export function answerBytes(maxBytes: number): number {
  const { escapedBytes, envelopeBytes, lineBytes } = limits.origin;
  return Math.min(maxBytes * escapedBytes + envelopeBytes, lineBytes);
}
