/** Skills and keys for tests of signatures. */
import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { verifyingKey } from '../../src/signing/keys.ts';
import { signSkill } from '../../src/signing/sign-skill.ts';
import type { TrustedOf } from '../../src/signing/signer.ts';
import type { SignedSkill } from '../../src/signing/verify-signature.ts';

export function digestOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

export function filesOf(texts: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(texts).map(([path, text]) => [path, digestOf(text)]));
}

export const exampleFiles = filesOf({
  'SKILL.md': '---\nname: example\ndescription: An example.\n---\n',
  'references/GUIDE.md': 'a guide\n',
  'scripts/run.sh': 'echo hello\n',
});

export interface MadeKey {
  readonly privateKey: KeyObject;
  readonly signer: TrustedOf<'key'>;
}

export function makeKey(name = 'team', namedCurve = 'P-256'): MadeKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve });
  return { privateKey, signer: { name, kind: 'key', key: verifyingKey(publicKey) } };
}

/** A skill with a signature over its own files, or over others. */
export function signedWith(
  key: KeyObject,
  files: ReadonlyMap<string, string> = exampleFiles,
  ignored: readonly string[] = [],
): SignedSkill {
  return { files, signature: signSkill('example', { files, ignored }, { key }) };
}

/** The JSON of a signature file, changed and written again. */
export function changedBundle(signature: Uint8Array, change: (bundle: Bundle) => void): Uint8Array {
  const bundle = JSON.parse(Buffer.from(signature).toString()) as Bundle;
  change(bundle);
  return Buffer.from(JSON.stringify(bundle));
}

// biome-ignore lint/suspicious/noExplicitAny: tests put anything anywhere in it.
export type Bundle = any;
