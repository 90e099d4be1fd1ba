/** What went wrong with a connection, in words: refused, no such name, not trusted, broken, not HTTP. */
import { type ErrorCode, SkillwireError } from '../errors.ts';
import { shortText } from '../skill/display-text.ts';

const reasons: Readonly<Record<string, readonly [code: ErrorCode, reason: string]>> = {
  ECONNREFUSED: ['UNREACHABLE', 'the connection was refused; check that the server runs and the port is right'],
  ENOTFOUND: ['UNREACHABLE', 'no such host name is known'],
  EAI_AGAIN: ['UNREACHABLE', 'the host name could not be looked up just now'],
  EHOSTUNREACH: ['UNREACHABLE', 'no route leads to the host'],
  ENETUNREACH: ['UNREACHABLE', 'no route leads to the network of the host'],
  ECONNRESET: ['UNREACHABLE', 'the connection broke'],
  EPIPE: ['UNREACHABLE', 'the connection broke'],
  ECONNABORTED: ['UNREACHABLE', 'the connection broke'],
  ETIMEDOUT: ['TIMED_OUT', 'the host did not answer'],
};

const certificate =
  /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH)/;

export function errorCodeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : '';
}

/** `where` is the address for the message, without secrets. */
export function connectionError(where: string, error: unknown): SkillwireError {
  if (error instanceof SkillwireError) return error;
  const code = errorCodeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  const [outcome, reason] = reasons[code] ?? describe(code, message);
  return new SkillwireError(outcome, `cannot reach "${where}": ${reason}`, {
    cause: error,
    data: { url: where, reason: code },
  });
}

function describe(code: string, message: string): readonly [code: ErrorCode, reason: string] {
  if (certificate.test(code)) return ['UNREACHABLE', `its certificate is not trusted (${shortText(message)})`];
  if (/^(?:ERR_SSL|ERR_TLS|EPROTO)/.test(code))
    return ['UNREACHABLE', `no secure connection could be made (${shortText(message)}); is it really https?`];
  if (code.startsWith('HPE_')) return ['BAD_ANSWER', `it does not answer in HTTP (${shortText(message)})`];
  return ['UNREACHABLE', shortText(message)];
}
