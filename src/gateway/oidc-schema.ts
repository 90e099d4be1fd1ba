/** The schema of `access.oidc` in `skillwire.json`: identity providers whose tokens and people a server lets in. */
import { z } from 'zod';
import { definedFields } from '../defined-fields.ts';
import { limits } from '../limits.ts';
import { isLoopbackName } from '../origins/http-address.ts';
import type { ClaimRule } from '../serving/access/oidc/claim-rules.ts';
import {
  type SignatureAlgorithm,
  signatureAlgorithms,
  usualAlgorithms,
} from '../serving/access/oidc/identity-provider.ts';

/** This server as a client of the identity provider. */
export interface ConfiguredClient {
  readonly clientId: string;
  /** The environment variable with the secret. */
  readonly clientSecretEnv?: string;
}

export interface ConfiguredOidc {
  readonly issuer: string;
  readonly audience: readonly string[];
  readonly audienceClaim: 'aud' | 'client_id';
  readonly subjectClaim: string;
  readonly jwks?: string;
  readonly algorithms: readonly SignatureAlgorithm[];
  readonly scopes: readonly string[];
  /** In the order of the file. */
  readonly claims: readonly ClaimRule[];
  readonly introspection?: ConfiguredClient & { readonly url?: string };
  readonly signIn?: ConfiguredClient & { readonly name?: string; readonly scopes: readonly string[] };
}

const short = (error: string) => z.string({ error }).min(1, { error }).max(limits.policy.patternCharacters, { error });

function address(key: string) {
  const error = `"${key}" must be an https address, or http on this machine, without query and fragment`;
  return z
    .string({ error })
    .max(limits.gateway.originCharacters, { error })
    .refine(
      (text) => {
        if (!URL.canParse(text)) return false;
        const { protocol, hostname, username, password, search, hash } = new URL(text);
        if (username !== '' || password !== '' || search !== '' || hash !== '') return false;
        return protocol === 'https:' || (protocol === 'http:' && isLoopbackName(hostname));
      },
      { error },
    );
}

function oneOrMore<T extends z.ZodType>(item: T, error: string) {
  return z.union([item, z.array(item).min(1, { error }).max(limits.policy.rules, { error })], { error });
}

const scopeError = '"scopes" must be a list of scopes, such as ["skills"]';
const scopes = z
  .array(z.string({ error: scopeError }).regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/, { error: scopeError }), {
    error: scopeError,
  })
  .max(limits.access.issuers, { error: scopeError });

const variable = '"clientSecretEnv" must be the name of an environment variable, such as "OIDC_CLIENT_SECRET"';
const client = {
  clientId: short('"clientId" must be the id of this server at the issuer').meta({
    description: 'Client id of this server at the issuer.',
  }),
  clientSecretEnv: z
    .string({ error: variable })
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: variable })
    .optional()
    .meta({ description: 'Environment variable with the client secret. Without it, this server is a public client.' }),
};

const valuesError = 'a claim must have a text, true or false, or a list of them';
const right = (key: string, description: string) =>
  z
    .boolean({ error: `"${key}" must be true or false` })
    .optional()
    .meta({ description });

const rule = z
  .strictObject(
    {
      match: z
        .record(
          short('the name of a claim must be a text'),
          oneOrMore(z.union([short(valuesError), z.boolean()], { error: valuesError }), valuesError),
          { error: '"match" must be an object of claims and values' },
        )
        .refine((all) => Object.keys(all).length > 0, { error: '"match" must name a claim' })
        .meta({
          description: 'Claims that must all match. A claim matches if it has, or contains, one of the values.',
          examples: [{ groups: 'skill-readers' }, { 'realm_access.roles': ['reader', 'owner'] }],
        }),
      profile: short('"profile" must be the name of a profile')
        .optional()
        .meta({ description: 'Profile of the caller. The first matching rule with a profile decides.' }),
      operator: right('operator', 'true: the caller may read /metrics and /status.'),
      approver: right('approver', 'true: the caller may approve and deny skills of the profile on the page.'),
    },
    { error: 'a rule must be an object with "match" and "profile", "operator" or "approver"' },
  )
  .refine(({ profile, operator, approver }) => profile !== undefined || operator === true || approver === true, {
    error: 'a rule must give "profile", "operator" or "approver"',
  });

const provider = z
  .strictObject(
    {
      issuer: address('issuer').meta({
        description: 'Issuer, exactly as in its tokens.',
        examples: ['https://login.example.com/realms/acme'],
      }),
      audience: oneOrMore(
        short('"audience" must be a text or a list of texts'),
        '"audience" must be a text or a list of texts',
      ).meta({ description: 'Accepted audiences of tokens. Others are refused.' }),
      audienceClaim: z
        .enum(['aud', 'client_id'], { error: '"audienceClaim" must be "aud" or "client_id"' })
        .optional()
        .meta({ description: 'Claim with the audience. Amazon Cognito has only client_id.' }),
      subjectClaim: short('"subjectClaim" must be the name of a claim')
        .optional()
        .meta({ description: 'Claim that identifies a person. Default sub; use oid for Entra ID.' }),
      jwks: address('jwks').optional().meta({ description: 'Address of the keys. Default: from the issuer.' }),
      algorithms: z
        .array(z.enum(signatureAlgorithms), {
          error: `"algorithms" must be a list of ${signatureAlgorithms.join(', ')}`,
        })
        .min(1, { error: '"algorithms" must not be empty' })
        .optional()
        .meta({ description: `Accepted signature algorithms. Default: ${usualAlgorithms.join(', ')}.` }),
      scopes: scopes.optional().meta({ description: 'Scopes that every token must have. Clients ask for them.' }),
      claims: z
        .array(rule, { error: '"claims" must be a list of rules' })
        .max(limits.policy.rules, { error: `"claims" must have at most ${limits.policy.rules} rules` })
        .meta({
          description: 'Rules that give callers a profile and rights. Callers without a matching rule get no access.',
        }),
      introspection: z
        .strictObject(
          { url: address('url').optional().meta({ description: 'Default: from the issuer.' }), ...client },
          { error: '"introspection" must be an object with "clientId"' },
        )
        .optional()
        .meta({ description: 'Ask the issuer about tokens that are not JWTs (RFC 7662).' }),
      signIn: z
        .strictObject(
          {
            ...client,
            name: short('"name" must be a text').optional().meta({ description: 'Name on the button.' }),
            scopes: scopes.optional().meta({ description: 'Scopes besides openid. Default: ["profile", "email"].' }),
          },
          { error: '"signIn" must be an object with "clientId"' },
        )
        .optional()
        .meta({ description: 'Let people sign in on the page.' }),
    },
    { error: 'an identity provider must be an object with "issuer", "audience" and "claims"' },
  )
  .meta({ description: 'An identity provider (OpenID Connect).' });

export const oidcSchema = z
  .union([provider, z.array(provider).min(1).max(limits.access.issuers)], {
    error: '"oidc" must be an identity provider or a list of them',
  })
  .superRefine((value, context) => {
    const all = [value].flat();
    const twice = all.find(({ issuer }, index) => all.findIndex((one) => one.issuer === issuer) !== index);
    const refuse = (message: string, remedy: string): void =>
      context.addIssue({ code: 'custom', message, params: { remedy } });
    if (twice !== undefined)
      refuse(`the issuer "${twice.issuer}" is configured twice`, 'put its audiences and rules together');
    if (all.filter(({ introspection }) => introspection !== undefined).length > 1)
      refuse(
        'only one issuer can have "introspection"',
        'remove it from the others: a token must not be sent to another issuer',
      );
  })
  .meta({ description: 'Identity providers whose tokens are accepted besides those of "skillwire token".' });

export function configuredOidc(value: z.output<typeof oidcSchema>): readonly ConfiguredOidc[] {
  return [value].flat().map(({ audience, claims, introspection, signIn, jwks, ...rest }) => ({
    issuer: rest.issuer,
    audience: [audience].flat(),
    audienceClaim: rest.audienceClaim ?? 'aud',
    subjectClaim: rest.subjectClaim ?? 'sub',
    algorithms: rest.algorithms ?? usualAlgorithms,
    scopes: rest.scopes ?? [],
    claims: claims.map(({ match, ...rights }) => ({
      match: Object.fromEntries(Object.entries(match).map(([name, values]) => [name, [values].flat()])),
      ...definedFields(rights),
    })),
    ...definedFields({
      jwks,
      introspection:
        introspection === undefined ? undefined : { clientId: introspection.clientId, ...definedFields(introspection) },
      signIn:
        signIn === undefined
          ? undefined
          : { ...definedFields(signIn), clientId: signIn.clientId, scopes: signIn.scopes ?? ['profile', 'email'] },
    }),
  }));
}
