/**
 * Keyless signatures (Sigstore), checked without network: the packages are optional, and the trusted root is shipped. The library checks
 * certificate, log entry and signature. We compare the signer, because the library's comparison takes patterns.
 */
import { definedFields } from '../defined-fields.ts';
import { isJsonObject, type JsonObject } from '../skill/json.ts';
import type { KeylessIdentity } from '../skill/signer-identity.ts';
import { canonicalBase64 } from './base64.ts';
import { CertificateFault, extensionText, parseCertificate } from './certificate.ts';

export type KeylessReading =
  | { readonly ok: true; readonly signer: KeylessIdentity }
  | { readonly ok: false; readonly supported: boolean; readonly step: 'chain' | 'signature'; readonly reason: string };

export const keylessPackages = '@sigstore/verify@3 @sigstore/bundle@4 @sigstore/protobuf-specs@0.5';

/** @param root the trusted root of Sigstore; default: the shipped one of the public services */
export async function verifyKeyless(bundle: JsonObject, root?: JsonObject): Promise<KeylessReading> {
  const packages = await loadPackages();
  if (packages === undefined) {
    const reason = `checking keyless signatures needs "npm install ${keylessPackages}"`;
    return { ok: false, supported: false, step: 'chain', reason };
  }
  const { toSignedEntity, toTrustMaterial, Verifier, bundleFromJSON, TrustedRoot } = packages;
  const { sigstoreTrustedRoot } = await import('./sigstore-trusted-root.ts');
  const verifier = new Verifier(toTrustMaterial(TrustedRoot.fromJSON(root ?? sigstoreTrustedRoot)));
  try {
    const { identity } = verifier.verify(toSignedEntity(bundleFromJSON(bundle)));
    const { subjectAlternativeName: name = '', extensions } = identity ?? {};
    const issuer = extensions?.issuer ?? '';
    if (name !== '' && issuer !== '')
      return { ok: true, signer: { kind: 'keyless', issuer, identity: name, ...jobOf(bundle) } };
    return { ok: false, supported: true, step: 'chain', reason: 'its certificate lacks an issuer or an identity' };
  } catch (error) {
    if (error instanceof CertificateFault)
      return { ok: false, supported: true, step: 'chain', reason: `its certificate ${error.message}` };
    // The root was read before, so the bundle is the cause, whatever the packages throw about it.
    const { code, name } = error as { readonly code?: string; readonly name?: string };
    const step = code === 'SIGNATURE_ERROR' ? 'signature' : 'chain';
    return { ok: false, supported: true, step, reason: `Sigstore refuses it (${code ?? name ?? 'unknown error'})` };
  }
}

/** Object identifiers of what Fulcio certifies about a CI job. */
const jobExtensions = { runner: '1.3.6.1.4.1.57264.1.11', repository: '1.3.6.1.4.1.57264.1.12' } as const;

/** The class of machine that ran the job, and its repository, which may use a workflow of another one. @throws CertificateFault */
function jobOf({ verificationMaterial: material }: JsonObject): Pick<KeylessIdentity, 'runner' | 'repository'> {
  const { certificate } = isJsonObject(material) ? material : {};
  const der = canonicalBase64(isJsonObject(certificate) ? certificate['rawBytes'] : undefined);
  if (der === undefined) throw new CertificateFault('cannot be read');
  const parsed = parseCertificate(der);
  return definedFields({
    runner: extensionText(parsed, jobExtensions.runner),
    repository: extensionText(parsed, jobExtensions.repository),
  });
}

async function loadPackages() {
  try {
    const [{ toSignedEntity, toTrustMaterial, Verifier }, { bundleFromJSON }, { TrustedRoot }] = await Promise.all([
      import('@sigstore/verify'),
      import('@sigstore/bundle'),
      import('@sigstore/protobuf-specs'),
    ]);
    return { toSignedEntity, toTrustMaterial, Verifier, bundleFromJSON, TrustedRoot };
  } catch (error) {
    if ((error as { readonly code?: string }).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
