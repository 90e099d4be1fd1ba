/**
 * A grant: what an authorization server gave to this user for one origin. It is bound to the issuer and to the address of the origin, and is
 * sent to no other. Grants are stored as private records and appear in no message.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import type { JsonValue } from '../skill/entry.ts';
import { isJsonObject } from '../skill/json.ts';

/** How the authorization server knows this client. */
export const clientOrigins = ['option', 'metadata-document', 'registration'] as const;
export type ClientOrigin = (typeof clientOrigins)[number];

export interface GrantClient {
  readonly id: string;
  readonly secret?: string;
  readonly from: ClientOrigin;
}

export interface Grant {
  /** The address of the origin. */
  readonly url: string;
  /** The origin as a command names it. */
  readonly origin: string;
  readonly issuer: string;
  /** The resource indicator that is sent; absent if the user chose to send none. */
  readonly resource?: string;
  readonly client: GrantClient;
  /** The scopes of the token, or those that were requested if the server does not say. */
  readonly scope?: string;
  readonly accessToken: string;
  /** ISO 8601; absent if the server does not say. */
  readonly expiresAt?: string;
  readonly refreshToken?: string;
  /** When the user logged in. */
  readonly at: string;
}

/** The fields of a token response that a grant stores. */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in?: number | undefined;
  readonly refresh_token?: string | undefined;
  readonly scope?: string | undefined;
}

/** The part of a grant that every token response replaces. @throws SkillwireError BAD_ANSWER if the token cannot be sent */
export function grantedTokens(answer: TokenAnswer, issuer: string, requested: string | undefined, now = Date.now()) {
  const { access_token: accessToken, token_type: type, expires_in: seconds, refresh_token: refreshToken } = answer;
  if (!isSendable(accessToken)) throw unusableToken(issuer, 'it contains characters that a header cannot have');
  if (type.toLowerCase() !== 'bearer') throw unusableToken(issuer, `its type is ${quoteText(type)}, not "Bearer"`);
  const scope = answer.scope ?? requested;
  return {
    accessToken,
    ...(scope === undefined || scope === '' ? {} : { scope }),
    ...(seconds === undefined ? {} : { expiresAt: expiry(seconds, now) }),
    ...(refreshToken === undefined ? {} : { refreshToken }),
  };
}

function expiry(seconds: number, now: number): string {
  const ms = Number.isFinite(seconds) ? Math.max(0, Math.min(seconds * 1000, limits.access.tokenMs)) : 0;
  return new Date(now + ms).toISOString();
}

function isSendable(token: string): boolean {
  return token.length <= limits.credentials.tokenCharacters && /^[\x21-\x7e]+$/.test(token);
}

function unusableToken(issuer: string, why: string): SkillwireError {
  return new SkillwireError(
    'BAD_ANSWER',
    `Cannot use the token of ${quoteText(issuer)}: ${why}. Ask its operator for a bearer token.`,
    { data: { issuer } },
  );
}

/** Milliseconds until the token expires; infinite if the server does not say. */
export function remainingMs({ expiresAt }: Grant, now = Date.now()): number {
  return expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - now;
}

export function encodeGrant(grant: Grant): Readonly<Record<string, JsonValue>> {
  return { version: 1, ...JSON.parse(JSON.stringify(grant)) };
}

/** @throws SkillwireError STATE_UNUSABLE */
export function decodeGrant(value: JsonValue): Grant {
  if (!isJsonObject(value) || value['version'] !== 1) throw unknownRecord();
  const text = (key: string): string => {
    const field = value[key];
    if (typeof field === 'string' && field !== '') return field;
    throw unknownRecord();
  };
  const optional = (key: string) => (value[key] === undefined ? {} : { [key]: text(key) });
  const { client } = value;
  if (!isJsonObject(client) || typeof client['id'] !== 'string') throw unknownRecord();
  const from = clientOrigins.find((one) => one === client['from']);
  const { secret } = client;
  if (from === undefined || (secret !== undefined && typeof secret !== 'string')) throw unknownRecord();
  return {
    url: text('url'),
    origin: text('origin'),
    issuer: text('issuer'),
    client: { id: client['id'], from, ...(secret === undefined ? {} : { secret }) },
    accessToken: text('accessToken'),
    at: text('at'),
    ...optional('resource'),
    ...optional('scope'),
    ...optional('expiresAt'),
    ...optional('refreshToken'),
  };
}

function unknownRecord(): SkillwireError {
  return new SkillwireError(
    'STATE_UNUSABLE',
    'A stored login has a format that this version does not know. Log in again, or use a newer version.',
  );
}
