/**
 * The schema of `auth` of an origin: how its requests are authenticated. A secret is the value of an environment variable or the content of a
 * file; a literal one is refused and never repeated.
 */
import { z } from 'zod';
import { limits } from '../limits.ts';
import { isReference, referenceTo } from './credentials.ts';
import { isLoopbackName } from './http-address.ts';

interface ConfiguredGrant {
  readonly issuer: string;
  readonly clientId: string;
  readonly scope?: string;
  /** False: send no resource indicator. */
  readonly resource?: boolean;
}

/** A program that authenticates itself, without a person. */
export type ConfiguredProgramAuth =
  | { readonly clientCredentials: ConfiguredGrant & ClientSecret }
  | { readonly privateKeyJwt: ConfiguredGrant & Key }
  | { readonly workload: ConfiguredGrant & Token & { readonly grant?: 'client-credentials' | 'jwt-bearer' } }
  | { readonly enterprise: ConfiguredGrant & ClientSecret & { readonly company: ConfiguredCompany } };

interface ClientSecret {
  readonly clientSecretEnv?: string;
  readonly clientSecretFile?: string;
}

interface Key {
  readonly keyEnv?: string;
  readonly keyFile?: string;
  readonly algorithm?: string;
}

interface Token {
  readonly tokenEnv?: string;
  readonly tokenFile?: string;
}

interface ConfiguredCompany extends ClientSecret {
  readonly issuer: string;
  readonly clientId: string;
  readonly idTokenEnv?: string;
  readonly idTokenFile?: string;
}

/** Everything but a bearer token. */
export type ConfiguredAuth = { readonly login: true } | ConfiguredProgramAuth;

export type OriginAuth = { readonly bearer: string } | ConfiguredAuth;

/** The same with absolute paths. */
export function withPaths(auth: ConfiguredAuth, path: (written: string) => string): ConfiguredAuth {
  const resolved = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return key.endsWith('File') ? path(value) : value;
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolved(one, name)]));
  };
  return resolved(auth, '') as ConfiguredAuth;
}

function text(key: string, example: string) {
  const error = `"${key}" must be a text such as "${example}"`;
  return z.string({ error }).min(1, { error }).max(limits.policy.patternCharacters, { error });
}

const issuerError = '"issuer" must be an https address, or http on this machine, as in the metadata of the server';
const issuer = z
  .string({ error: issuerError })
  .max(limits.gateway.originCharacters, { error: issuerError })
  .refine(isIssuer, { error: issuerError })
  .meta({ description: 'Authorization server that gets the secret, and no other.' });

function isIssuer(written: string): boolean {
  if (!URL.canParse(written)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(written);
  if (username !== '' || password !== '' || search !== '' || hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackName(hostname));
}

const scopeError = '"scope" must be scopes separated by spaces, such as "skills"';

const grant = {
  issuer,
  clientId: text('clientId', 'skill-gateway').meta({ description: 'Client id of this program at the issuer.' }),
  scope: z
    .string({ error: scopeError })
    .regex(/^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/, { error: scopeError })
    .max(limits.policy.patternCharacters, { error: scopeError })
    .optional()
    .meta({ description: 'Scopes to request, in place of those that the server asks for.' }),
  resource: z
    .boolean({ error: '"resource" must be true or false' })
    .optional()
    .meta({ description: 'false: send no resource indicator, for Entra ID. Default true.' }),
};

/** The two keys that name the place of a secret. */
function secret<Name extends string>(name: Name, what: string) {
  const variable = `"${name}Env" must be the name of an environment variable`;
  const path = `"${name}File" must be the path of a file`;
  const keys = {
    [`${name}Env`]: z
      .string({ error: variable })
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: variable })
      .optional()
      .meta({ description: `Environment variable with ${what}.` }),
    [`${name}File`]: z
      .string({ error: path })
      .regex(/^[^\0]+$/, { error: path })
      .max(limits.gateway.originCharacters, { error: path })
      .optional()
      .meta({ description: `File with ${what}; a relative one is relative to this file.` }),
  };
  return keys as Record<`${Name}Env` | `${Name}File`, z.ZodOptional<z.ZodString>>;
}

const clientSecret = secret('clientSecret', 'the client secret');

/** @param needed whether there must be one */
const onePlace =
  (name: string, needed = true) =>
  (written: object, context: z.core.$RefinementCtx): void => {
    const keys = [`${name}Env`, `${name}File`];
    const found = keys.filter((key) => key in written);
    if (found.length === 1 || (found.length === 0 && !needed)) return;
    context.addIssue({
      code: 'custom',
      path: [],
      message: found.length === 0 ? `"${name}Env" is missing` : `"${keys.join('" and "')}" name one secret twice`,
      params: { remedy: `name a variable with "${name}Env", or a file with "${name}File"` },
    });
  };

const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const;
const algorithmError = `"algorithm" must be one of ${algorithms.join(', ')}`;
const grantError = '"grant" must be "client-credentials" or "jwt-bearer"';
const objectError = (key: string) => ({ error: `"${key}" must be an object with "issuer" and "clientId"` });

const company = z
  .strictObject(
    {
      issuer,
      clientId: text('clientId', 'skill-gateway').meta({ description: 'Client id of this program at the company.' }),
      ...clientSecret,
      ...secret('idToken', 'the ID token of the person or program'),
    },
    objectError('company'),
  )
  .superRefine(onePlace('idToken'))
  .superRefine(onePlace('clientSecret', false));

const bearerRefusal = 'a token must not be in the configuration';
const kinds = {
  bearer: z.string({ error: '"bearer" must be a string' }).superRefine((written, context) => {
    if (isReference(written)) return;
    const remedy = `write a reference such as "${referenceTo('DOCS_TOKEN')}", and set that variable`;
    context.addIssue({ code: 'custom', path: [], message: bearerRefusal, params: { remedy } });
  }),
  login: z.literal(true, { error: '"login" must be true' }),
  clientCredentials: z
    .strictObject({ ...grant, ...clientSecret }, objectError('clientCredentials'))
    .superRefine(onePlace('clientSecret')),
  privateKeyJwt: z
    .strictObject(
      {
        ...grant,
        ...secret('key', 'the private key, as PEM or JWK'),
        algorithm: z
          .enum(algorithms, { error: algorithmError })
          .optional()
          .meta({ description: 'Algorithm of the signature. Default: by the key.' }),
      },
      objectError('privateKeyJwt'),
    )
    .superRefine(onePlace('key')),
  workload: z
    .strictObject(
      {
        ...grant,
        ...secret('token', "the platform's own OIDC token"),
        grant: z
          .enum(['client-credentials', 'jwt-bearer'], { error: grantError })
          .optional()
          .meta({ description: 'How the token is used: as the assertion of the client (default), or as the grant.' }),
      },
      objectError('workload'),
    )
    .superRefine(onePlace('token')),
  enterprise: z
    .strictObject({ ...grant, ...clientSecret, company }, objectError('enterprise'))
    .superRefine(onePlace('clientSecret')),
};

const descriptions: Readonly<Record<keyof typeof kinds, string>> = {
  bearer: `A bearer token, as "${referenceTo('NAME')}" of an environment variable.`,
  login: 'true: the login of the user who runs this ("skillwire login"), and nothing without one.',
  clientCredentials: 'A client with a secret gets the tokens.',
  privateKeyJwt: 'A client with a private key gets the tokens.',
  workload: "The platform's own token (CI service, cluster) gets the tokens.",
  enterprise: 'A grant of the company for the authorization server of the origin (ID-JAG) gets the tokens.',
};

const names = Object.keys(kinds) as (keyof typeof kinds)[];
const oneOf = names.map((key) => `"${key}"`).join(', ');

export const authSchema = z
  .strictObject(
    {
      bearer: kinds.bearer.optional().meta({ description: descriptions.bearer }),
      login: kinds.login.optional().meta({ description: descriptions.login }),
      clientCredentials: kinds.clientCredentials.optional().meta({ description: descriptions.clientCredentials }),
      privateKeyJwt: kinds.privateKeyJwt.optional().meta({ description: descriptions.privateKeyJwt }),
      workload: kinds.workload.optional().meta({ description: descriptions.workload }),
      enterprise: kinds.enterprise.optional().meta({ description: descriptions.enterprise }),
    },
    { error: `"auth" must be an object with one of ${oneOf}` },
  )
  .superRefine((written, context) => {
    const found = names.filter((key) => key in written);
    if (found.length === 1) return;
    const message = found.length === 0 ? `"auth" must have one of ${oneOf}` : `"${found.join('" and "')}" are two ways`;
    const remedy = found.length === 0 ? `write {"bearer": "${referenceTo('DOCS_TOKEN')}"}` : 'keep one of them';
    context.addIssue({ code: 'custom', path: [], message, params: { remedy } });
  })
  .meta({
    description: 'How requests are authenticated. Secrets come from variables and files.',
    oneOf: names.map((key) => ({ required: [key] })),
  });
