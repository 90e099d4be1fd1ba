/**
 * HTTP credentials: a fixed token, a function that returns one, or credentials that renew themselves. A token from a function is cached until
 * the server rejects it, then requested once more. Tokens appear only in the Authorization header.
 */
import { SkillwireError } from '../../errors.ts';

export type TokenOption = string | (() => Promise<string>);

export interface CredentialOptions {
  readonly token?: TokenOption;
  /** @internal a login or an OAuth provider, which renews its own tokens */
  readonly credentials?: HttpCredentials;
}

export interface HttpChallenge {
  readonly status: number;
  /** The header `WWW-Authenticate`. */
  readonly challenge: string | undefined;
}

export interface HttpCredentials {
  readonly present: boolean;
  /** The extension of MCP that such a client declares. */
  readonly extension?: string;
  /** For an error, in place of the usual remedy. */
  readonly remedy?: string;
  /** The Authorization header. */
  header(): string | undefined | Promise<string | undefined>;
  /** After 401 or 403: true if new credentials make another attempt worthwhile. */
  renew(challenge: HttpChallenge, url: URL, fetch: typeof globalThis.fetch): Promise<boolean>;
}

export function createCredentials({ token, credentials }: CredentialOptions): HttpCredentials {
  if (credentials !== undefined) return credentials;
  if (token === undefined) return { present: false, header: () => undefined, renew: async () => false };
  if (typeof token === 'string') {
    const header = bearer(token);
    return { present: true, header: () => header, renew: async () => false };
  }
  let cached: string | Promise<string> | undefined;
  return {
    present: true,
    header() {
      if (cached === undefined) {
        const pending = token().then(bearer);
        cached = pending;
        pending.then(
          (header) => {
            if (cached === pending) cached = header;
          },
          () => {
            if (cached === pending) cached = undefined;
          },
        );
      }
      return cached;
    },
    async renew({ status }) {
      if (status !== 401 || cached === undefined) return false;
      const old = await cached;
      cached = undefined;
      return (await this.header()) !== old;
    },
  };
}

function bearer(token: string): string {
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new SkillwireError('USAGE', 'The token is empty or contains invalid characters. Check it.');
  return `Bearer ${token}`;
}
