/**
 * Errors of OAuth requests. Messages and data contain codes and addresses only. Texts of an authorization server may repeat a token, a code
 * or a secret, so they are dropped.
 */
import { type ErrorCode, SkillwireError } from '../errors.ts';
import { quoteText } from '../skill/display-text.ts';

/** Codes of OAuth and OpenID Connect; any other text is not repeated. */
const knownCode = /^[a-z][a-z_]{2,60}$/;

/** The code of an OAuth error response. */
export function oauthCode(error: unknown): string | undefined {
  const code = error instanceof Error && error.name === 'OAuthError' ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' && knownCode.test(code) ? code : undefined;
}

/** @param action what failed, such as `refresh the login at "https://…"` */
export function oauthFailure(action: string, error: unknown, issuer: string, remedy: string): SkillwireError {
  if (error instanceof SkillwireError) return error;
  const code = oauthCode(error);
  const name = error instanceof Error ? error.name : '';
  const refused = code !== undefined && code !== 'server_error' && code !== 'temporarily_unavailable';
  const why = code ?? reasonOf(error, name);
  return failure(refused ? 'NOT_AUTHORIZED' : 'BAD_ANSWER', `Cannot ${action}: ${why}. ${remedy}`, issuer, code);
}

function reasonOf(error: unknown, name: string): string {
  if (name === 'IssuerMismatchError') return 'its metadata name another issuer';
  if (name === 'InsecureTokenEndpointError') return 'its token endpoint does not use https';
  if (name === 'RegistrationRejectedError') {
    const { status } = error as { status?: unknown };
    return `it refuses to register this client${typeof status === 'number' ? ` (HTTP ${status})` : ''}`;
  }
  return 'its answer is not valid';
}

export function failure(code: ErrorCode, message: string, issuer: string, reason?: string): SkillwireError {
  return new SkillwireError(code, message, { data: { issuer, ...(reason === undefined ? {} : { reason }) } });
}

export function loginCommand(origin: string, options = ''): string {
  return `"skillwire login ${origin}${options}"`;
}

/** The end of a grant. */
export function loginEnded(why: string, issuer: string, origin: string, reason: string): SkillwireError {
  return failure(
    'NOT_AUTHORIZED',
    `Your login at ${quoteText(issuer)} ${why}. Run ${loginCommand(origin)}.`,
    issuer,
    reason,
  );
}
