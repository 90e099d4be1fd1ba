/**
 * Keyless signatures (Sigstore), checked without network: the packages are optional, and the trusted root is shipped. The library checks
 * certificate, log entry and signature. We compare the signer, because the library's comparison takes patterns.
 */
import type { JsonObject } from '../skill/json.ts';

export type KeylessReading =
  | { readonly ok: true; readonly issuer: string; readonly identity: string }
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
    if (name !== '' && issuer !== '') return { ok: true, issuer, identity: name };
    return { ok: false, supported: true, step: 'chain', reason: 'its certificate lacks an issuer or an identity' };
  } catch (error) {
    // The root was read before, so the bundle is the cause, whatever the packages throw about it.
    const { code, name } = error as { readonly code?: string; readonly name?: string };
    const step = code === 'SIGNATURE_ERROR' ? 'signature' : 'chain';
    return { ok: false, supported: true, step, reason: `Sigstore refuses it (${code ?? name ?? 'unknown error'})` };
  }
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
