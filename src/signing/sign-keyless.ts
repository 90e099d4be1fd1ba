/**
 * Keyless signing (Sigstore): a certificate for the identity of a CI job, and an entry in the public transparency log. The log
 * is public and may keep the whole statement. The packages are optional.
 */
import { reasonOf, SkillwireError } from '../errors.ts';
import { isJsonObject } from '../skill/json.ts';
import { type SignedFiles, statementPayloadType, writeStatement } from './statement.ts';

export interface KeylessSigning {
  /** The identity token of the job. */
  readonly token: string;
  /** Default: the public services of Sigstore. */
  readonly services?: SigstoreServices;
}

export interface SigstoreServices {
  readonly fulcioUrl: string;
  readonly rekorUrl: string;
}

const keylessSigningPackages = '@sigstore/sign@4 @sigstore/bundle@4';

/** The bytes of `skill.oms.sig`. @throws SkillwireError USAGE without the packages, UNREACHABLE if Sigstore does not sign */
export async function signKeyless(name: string, signed: SignedFiles, signing: KeylessSigning): Promise<Uint8Array> {
  const { DSSEBundleBuilder, FulcioSigner, RekorWitness, bundleToJSON } = await loadPackages();
  const { token, services } = signing;
  const identityProvider = { getToken: async () => token };
  const builder = new DSSEBundleBuilder({
    signer: new FulcioSigner({
      identityProvider,
      ...(services === undefined ? {} : { fulcioBaseURL: services.fulcioUrl }),
    }),
    witnesses: [
      new RekorWitness({ entryType: 'intoto', ...(services === undefined ? {} : { rekorBaseURL: services.rekorUrl }) }),
    ],
  });
  try {
    const data = Buffer.from(writeStatement(name, signed));
    const bundle = await builder.create({ data, type: statementPayloadType });
    return Buffer.from(`${JSON.stringify(bundleToJSON(bundle), undefined, 2)}\n`);
  } catch (cause) {
    const reason = reasonOf(cause);
    throw new SkillwireError('UNREACHABLE', `Sigstore did not sign: ${reason}. Check the token and try again.`, {
      cause,
    });
  }
}

/** The identity token of the CI job that runs this program. @throws SkillwireError USAGE if there is none */
export async function ciToken(env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const { SIGSTORE_ID_TOKEN: given = '', ACTIONS_ID_TOKEN_REQUEST_URL: actions = '' } = env;
  if (given !== '') return given;
  const missing =
    'There is no identity token. In GitHub Actions, give the job "id-token: write". Elsewhere, set SIGSTORE_ID_TOKEN.';
  if (actions === '') throw new SkillwireError('USAGE', missing);
  const { CIContextProvider } = await loadPackages();
  try {
    return await new CIContextProvider().getToken();
  } catch (cause) {
    throw new SkillwireError('USAGE', missing, { cause });
  }
}

/** The identity that the certificate will name; `undefined` if the token does not say so. The token is not verified here. */
export function tokenIdentity(token: string): { readonly issuer: string; readonly identity: string } | undefined {
  let claims: unknown;
  try {
    claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  } catch {
    return undefined;
  }
  if (!isJsonObject(claims)) return undefined;
  const { iss: issuer, job_workflow_ref: workflow, email, sub } = claims;
  const identity = typeof workflow === 'string' ? `https://github.com/${workflow}` : (email ?? sub);
  return typeof issuer === 'string' && typeof identity === 'string' ? { issuer, identity } : undefined;
}

async function loadPackages() {
  try {
    const [{ CIContextProvider, DSSEBundleBuilder, FulcioSigner, RekorWitness }, { bundleToJSON }] = await Promise.all([
      import('@sigstore/sign'),
      import('@sigstore/bundle'),
    ]);
    return { CIContextProvider, DSSEBundleBuilder, FulcioSigner, RekorWitness, bundleToJSON };
  } catch (cause) {
    if ((cause as { readonly code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new SkillwireError('USAGE', `--keyless needs "npm install ${keylessSigningPackages}".`, { cause });
  }
}
