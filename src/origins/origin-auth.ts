/** From `auth` of an origin, with absolute paths, to the grant of a program. Variables and files are read when a token is requested, and checked before. */
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  type AssertionKey,
  assertionGrant,
  bearerGrant,
  enterpriseGrant,
  keyGrant,
  type ProgramGrant,
  type ReadSecret,
  secretGrant,
} from '../credentials/program-grant.ts';
import { codeOf, SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import type { ConfiguredProgramAuth } from './auth-schema.ts';
import type { Environment } from './credentials.ts';

export interface AuthSurroundings {
  /** For messages. */
  readonly label: string;
  readonly env: Environment;
}

/** @throws SkillwireError USAGE if a secret is not there */
export function programGrant(auth: ConfiguredProgramAuth, around: AuthSurroundings): ProgramGrant {
  const of = `of the origin "${around.label}"`;
  if ('clientCredentials' in auth) {
    const { clientCredentials: written } = auth;
    return secretGrant(commonOf(written), secretOf(written, 'clientSecret', `the client secret ${of}`, around));
  }
  if ('privateKeyJwt' in auth) {
    const { privateKeyJwt: written } = auth;
    const read = secretOf(written, 'key', `the private key ${of}`, around);
    const key = (): AssertionKey => signingKey(read(), written.algorithm, `the private key ${of}`);
    key();
    return keyGrant(commonOf(written), key);
  }
  if ('workload' in auth) {
    const { workload: written } = auth;
    const token = secretOf(written, 'token', `the token of the workload ${of}`, around);
    return (written.grant === 'jwt-bearer' ? bearerGrant : assertionGrant)(commonOf(written), token);
  }
  const { enterprise: written } = auth;
  const { company } = written;
  const hasSecret = company.clientSecretEnv !== undefined || company.clientSecretFile !== undefined;
  return enterpriseGrant(commonOf(written), secretOf(written, 'clientSecret', `the client secret ${of}`, around), {
    issuer: company.issuer,
    clientId: company.clientId,
    idToken: secretOf(company, 'idToken', `the ID token ${of}`, around),
    ...(hasSecret
      ? { clientSecret: secretOf(company, 'clientSecret', `the client secret at the company ${of}`, around) }
      : {}),
  });
}

interface WrittenGrant {
  readonly issuer: string;
  readonly clientId: string;
  readonly scope?: string;
  readonly resource?: boolean;
}

function commonOf({ issuer, clientId, scope, resource = true }: WrittenGrant) {
  return { issuer, clientId, sendResource: resource, ...(scope === undefined ? {} : { scope }) };
}

/** Reads the secret once, so that a missing one is reported before the origin is used. */
function secretOf<Name extends string>(
  written: { readonly [Key in `${Name}Env` | `${Name}File`]?: string },
  name: Name,
  purpose: string,
  { env }: AuthSurroundings,
): ReadSecret {
  const { [`${name}Env` as const]: variable, [`${name}File` as const]: file } = written;
  const read: ReadSecret = () =>
    variable === undefined ? fileSecret(file ?? '', purpose) : variableSecret(variable, purpose, env);
  read();
  return read;
}

function variableSecret(variable: string, purpose: string, env: Environment): string {
  return usable(env[variable] ?? '', `The environment variable "${variable}" for ${purpose}`, 'is not set', {
    variable,
  });
}

function fileSecret(file: string, purpose: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const message = `Cannot read the file ${quoteText(file)} for ${purpose} (${codeOf(cause) ?? 'unreadable'}). Check its path.`;
    throw new SkillwireError('USAGE', message, { data: { file }, cause });
  }
  // Editors and tools end a file with a line break.
  return usable(text.trim(), `The file ${quoteText(file)} for ${purpose}`, 'is empty', { file });
}

function usable(text: string, what: string, empty: string, data: Readonly<Record<string, string>>): string {
  const fault = text === '' ? empty : text.length > limits.credentials.tokenCharacters ? 'is too long' : undefined;
  if (fault === undefined) return text;
  throw new SkillwireError('USAGE', `${what} ${fault}. Give it the secret.`, { data });
}

/** @throws SkillwireError USAGE; no message repeats any of the key */
function signingKey(text: string, algorithm: string | undefined, purpose: string): AssertionKey {
  try {
    const key = createPrivateKey(text.startsWith('{') ? { key: JSON.parse(text), format: 'jwk' } : text);
    const jwk = key.export({ format: 'jwk' }) as Readonly<Record<string, unknown>>;
    const usual = algorithm ?? algorithmOf(jwk);
    if (usual !== undefined) return { jwk, algorithm: usual };
  } catch {
    // The cause may quote the key.
  }
  throw new SkillwireError(
    'USAGE',
    `Cannot use ${purpose}: it is no private key of RSA, P-256, P-384, P-521 or Ed25519 without a passphrase. ` +
      'Write it as PEM or as a JWK.',
  );
}

function algorithmOf({ kty, crv }: Readonly<Record<string, unknown>>): string | undefined {
  if (kty === 'RSA') return 'RS256';
  const algorithms: Readonly<Record<string, string>> = {
    'P-256': 'ES256',
    'P-384': 'ES384',
    'P-521': 'ES512',
    Ed25519: 'EdDSA',
  };
  return typeof crv === 'string' ? algorithms[crv] : undefined;
}
