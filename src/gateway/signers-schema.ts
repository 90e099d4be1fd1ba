/** The schema of `signers` and `policy.signatures` in `skillwire.json`, and trusted signers made from it. */
import { z } from 'zod';
import { definedFields } from '../defined-fields.ts';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { pattern } from '../origins/setting-schemas.ts';
import type { SignatureRule } from '../policy/signature-rules.ts';
import { CertificateFault, parseCertificates, subjectNames } from '../signing/certificate.ts';
import { parsePublicKey } from '../signing/keys.ts';
import type { TrustedSigner } from '../signing/signer.ts';

/** A trusted signer of a `skillwire.json`. It has a key, a certificate, or an issuer and an identity. */
export interface ConfiguredSigner {
  readonly name: string;
  /** File with the public key, relative to the configuration. */
  readonly key?: string;
  /** File with the root certificate, relative to the configuration. */
  readonly certificate?: string;
  /** Attributes that the certificate of the signer must have, exactly. */
  readonly subject?: Readonly<Record<string, string>>;
  /** Issuer of a Sigstore identity. */
  readonly issuer?: string;
  /** A Sigstore identity, compared exactly. */
  readonly identity?: string;
  /** The part of the identity after "@". A final "*" stands for any text. */
  readonly ref?: string;
  /** ISO 8601: new signatures count until then. */
  readonly notAfter?: string;
  readonly revoked?: ConfiguredRevocation;
}

/** `compromised` voids every signature at once. `retired` ends at `at`, and keeps what was seen before. */
export interface ConfiguredRevocation {
  readonly at: string;
  readonly reason: 'compromised' | 'retired';
}

const text = (key: string) => {
  const error = `"${key}" must be a text that is not empty`;
  return z.string({ error }).min(1, { error }).max(limits.policy.patternCharacters, { error });
};

const time = (key: string) => {
  const error = `"${key}" must be a date such as "2027-12-31"`;
  return z
    .string({ error })
    .refine((date) => /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?$/.test(date) && !Number.isNaN(Date.parse(date)), { error });
};

const signer = z
  .strictObject(
    {
      key: text('key').optional().meta({ description: 'File with a public key, relative to this file.' }),
      certificate: text('certificate')
        .optional()
        .meta({ description: 'File with a root certificate, relative to this file. Needs "subject".' }),
      subject: z
        .record(
          z.string().refine((name) => subjectNames.includes(name) || /^\d+(?:\.\d+)+$/.test(name), {
            error: `an attribute must be an object identifier or one of ${subjectNames.join(', ')}`,
          }),
          text('subject'),
          { error: '"subject" must be an object such as {"O": "Example Corporation"}' },
        )
        .refine((parts) => Object.keys(parts).length > 0, { error: '"subject" must have an attribute' })
        .optional()
        .meta({ description: "Attributes of the signer's certificate, compared exactly." }),
      issuer: text('issuer').optional().meta({ description: 'Issuer of a Sigstore identity. Needs "identity".' }),
      identity: text('identity').optional().meta({ description: 'Sigstore identity, compared exactly.' }),
      ref: text('ref')
        .refine((ref) => !ref.slice(0, -1).includes('*'), { error: '"ref" must have "*" at its end only' })
        .optional()
        .meta({ description: 'The part of the identity after "@". A final "*" stands for any text.' }),
      notAfter: time('notAfter').optional().meta({ description: 'Trust in this signer ends here.' }),
      revoked: z
        .strictObject(
          {
            at: time('at'),
            reason: z.enum(['compromised', 'retired'], { error: '"reason" must be "compromised" or "retired"' }),
          },
          { error: '"revoked" must be an object with "at" and "reason"' },
        )
        .optional()
        .meta({
          description: 'compromised: nothing counts. retired: after "at", only what was seen before it counts.',
        }),
    },
    { error: 'a signer must be an object' },
  )
  .superRefine(({ key, certificate, subject, issuer, identity, ref }, context) => {
    const refuse = (message: string, remedy: string): void =>
      context.addIssue({ code: 'custom', message, params: { remedy } });
    const kinds = [key, certificate, issuer ?? identity].filter((value) => value !== undefined).length;
    if (kinds !== 1)
      refuse('a signer must have one of "key", "certificate" and "issuer"', 'write {"key": "./trust/team.pub"}');
    else if ((certificate === undefined) !== (subject === undefined))
      refuse('"certificate" and "subject" need each other', 'add {"subject": {"O": "Example Corporation"}}');
    else if ((issuer === undefined) !== (identity === undefined))
      refuse('"issuer" and "identity" need each other', 'add the other one');
    else if (ref !== undefined && issuer === undefined) refuse('"ref" needs "issuer" and "identity"', 'remove "ref"');
  })
  .meta({ description: 'A signer: a key, a root certificate with a subject, or a Sigstore identity.' });

export const signersSchema = z
  .record(
    z.string().regex(/^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/, {
      error: 'a signer name must be lower-case letters and digits, with ".", "_" or "-" between them',
    }),
    signer,
    { error: '"signers" must be an object of names and signers' },
  )
  .refine((all) => Object.keys(all).length <= limits.signing.signers, {
    error: `"signers" must have at most ${limits.signing.signers} names`,
  })
  .meta({ description: 'Trusted signers by name.' });

export const signaturesSchema = z
  .array(
    z
      .strictObject(
        {
          origin: text('origin')
            .optional()
            .meta({ description: 'Label of an origin, or address of an unnamed one. Absent: every origin.' }),
          match: pattern.optional(),
          require: z
            .array(text('require'), { error: '"require" must be a list of signers' })
            .max(limits.signing.signers, { error: `"require" must have at most ${limits.signing.signers} names` })
            .meta({
              description: 'One of these must have signed every file. []: no signature is needed.',
              examples: [['team']],
            }),
          covers: z
            .enum(['served', 'exact'], { error: '"covers" must be "served" or "exact"' })
            .optional()
            .meta({ description: 'exact: also refuse signatures over files that are not served.' }),
          expired: z
            .enum(['refuse', 'first-seen'], { error: '"expired" must be "refuse" or "first-seen"' })
            .optional()
            .meta({ description: 'first-seen: keep content that was seen before its certificate expired.' }),
          resigned: z
            .enum(['ask', 'accept'], { error: '"resigned" must be "ask" or "accept"' })
            .optional()
            .meta({ description: 'accept: approvals stay valid if the same signer signs the same content again.' }),
        },
        { error: 'a rule must be an object with "require"' },
      )
      .meta({ description: 'Signers that matching skills must have.' }),
    { error: '"signatures" must be a list of rules' },
  )
  .max(limits.policy.rules, { error: `"signatures" must have at most ${limits.policy.rules} rules` });

export function configuredSigners(signers: z.output<typeof signersSchema>): readonly ConfiguredSigner[] {
  return Object.entries(signers).map(([name, { revoked, ...rest }]) => ({
    name,
    ...definedFields({ ...rest, revoked: revoked === undefined ? undefined : { ...revoked } }),
  }));
}

export function configuredSignatures(rules: z.output<typeof signaturesSchema>): readonly SignatureRule[] {
  return rules.map(({ require, ...rest }) => ({ require, ...definedFields(rest) }));
}

/**
 * Reads the keys and certificates.
 *
 * @param read the text of a file that the configuration names
 * @throws SkillwireError CONFIG_INVALID
 */
export async function trustedSigners(
  configured: readonly ConfiguredSigner[],
  read: (path: string) => Promise<string>,
): Promise<readonly TrustedSigner[]> {
  return Promise.all(configured.map((one) => trustedSigner(one, read)));
}

async function trustedSigner(
  { name, key, certificate, subject = {}, issuer = '', identity = '', ref, notAfter, revoked }: ConfiguredSigner,
  read: (path: string) => Promise<string>,
): Promise<TrustedSigner> {
  const common = {
    name,
    ...definedFields({
      notAfter: notAfter === undefined ? undefined : new Date(notAfter),
      revoked: revoked === undefined ? undefined : { at: new Date(revoked.at), reason: revoked.reason },
    }),
  };
  try {
    if (key !== undefined) return { ...common, kind: 'key', key: parsePublicKey(await read(key), key) };
    if (certificate === undefined) return { ...common, kind: 'keyless', issuer, identity, ...definedFields({ ref }) };
    return { ...common, kind: 'certificate', roots: parseCertificates(await read(certificate)), subject };
  } catch (cause) {
    if (!(cause instanceof SkillwireError || cause instanceof CertificateFault)) throw cause;
    const reason = cause instanceof CertificateFault ? `A certificate ${cause.message}.` : cause.message;
    throw new SkillwireError('CONFIG_INVALID', `Cannot use the signer "${name}". ${reason}`, {
      data: { signer: name },
      cause,
    });
  }
}
