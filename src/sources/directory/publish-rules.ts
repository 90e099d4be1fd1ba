/**
 * Names that are never published from a folder: hidden files, version control, dependencies, leftovers of editors and
 * interpreters, and files whose names imply secrets. Manifest, directory and file reads all follow this one answer. The
 * publisher may name a secret file to publish it anyway; a file in the folder may not.
 */

import { resolve } from 'node:path';
import { type Finding, finding } from '../../skill/finding.ts';

export interface Unpublished {
  /** Path as a reader would open it. */
  readonly file: string;
  readonly reason: string;
}

const folders = new Map([
  ['node_modules', 'installed dependencies'],
  ['__pycache__', 'left over by an interpreter'],
  ['CVS', 'version control'],
  ['_darcs', 'version control'],
]);

const backups = /~$|^~\$|^#.*#$|\.(?:bak|orig|sw[a-p])$/i;
const systemFiles = /^(?:thumbs\.db|desktop\.ini|ehthumbs\.db)$/i;

/** Private keys and key stores. */
const keyNames =
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$|^master\.key$|^secring\.(?:gpg|pgp)$|\.(?:ppk|p12|pkcs12|pfx|jks|jceks|bks|keystore|kdbx?|keychain(?:-db)?)$/i;

/** Files in which programs store credentials. */
const credentialNames = [
  /\.env$/,
  /^_netrc$/,
  /^credentials$/,
  /(?:^|[-_.])credentials\.(?:json|ya?ml|toml|ini|cfg|conf|properties|csv|xml|db)$/,
  /^secrets\.(?:json|ya?ml|toml|ini|cfg|conf|properties|tfvars|auto\.tfvars)$/,
  /^service[-_]?account[-_.\w]*\.json$/,
  /(?:^|[-_.])firebase-adminsdk[-_.\w]*\.json$/,
  /^client[-_]?secrets?[-_.\w]*\.json$/,
  /^token\.(?:json|pickle)$/,
  /^(?:rootkey|(?:.*_)?accesskeys)\.csv$/,
  /^kubeconfig$|\.kubeconfig$/,
  /\.tfstate(?:\.backup)?$/,
];

/** Words in such a name that mark a sample file. */
const showsForm =
  /(?:^|[-_.])(?:examples?|samples?|templates?|tmpl|tpl|dist|schema|mock|dummy|fake|placeholder)(?:[-_.]|$)/;

/**
 * Why a name is never published; `undefined` if it may be. `secret`: reported to the author, and published if they name
 * it.
 */
export function unpublishedName(name: string, isFolder: boolean): { reason: string; secret: boolean } | undefined {
  if (name.startsWith('.')) return { reason: 'hidden', secret: false };
  if (isFolder) {
    const reason = folders.get(name);
    return reason === undefined ? undefined : { reason, secret: false };
  }
  if (keyNames.test(name)) return { reason: 'looks like a private key or key store', secret: true };
  if (isCredential(name.toLowerCase())) return { reason: 'looks like a file with credentials', secret: true };
  if (backups.test(name)) return { reason: 'left over by an editor', secret: false };
  if (systemFiles.test(name)) return { reason: 'left over by the system', secret: false };
  return undefined;
}

function isCredential(name: string): boolean {
  return credentialNames.some((pattern) => pattern.test(name)) && !showsForm.test(name);
}

/** Hidden names under which programs store credentials. */
const hiddenSecrets =
  /^\.(?:env(?:\..+)?|envrc|netrc|npmrc|pypirc|pgpass|htpasswd|git-credentials|dockercfg|aws|ssh|gnupg|kube)$/;

/** Whether a hidden name implies secrets. Its finding does not advise to publish it. */
export function isHiddenSecret(name: string): boolean {
  const lower = name.toLowerCase();
  return hiddenSecrets.test(lower) && !showsForm.test(lower);
}

const keyHeader = /^(?:\xEF\xBB\xBF)?\s{0,64}(?:-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----|PuTTY-User-Key-File-\d)/;
/** Key files may have certificates and attributes before the key. */
const keyBelow = /^(?:Bag Attributes|-----BEGIN CERTIFICATE-----)[\s\S]*^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----/m;

/** The first bytes of such files: the UTF-8 mark, white space, "-", "P" and "B". */
const firstOfKeys: ReadonlySet<number> = new Set([0xef, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0xa0, 0x2d, 0x50, 0x42]);

/** True if a file begins like a private key. Text that shows a key further down does not count. */
export function beginsAsPrivateKey(bytes: Uint8Array): boolean {
  if (!firstOfKeys.has(bytes[0] ?? 0)) return false;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 160)).toString('latin1');
  if (keyHeader.test(head)) return true;
  if (!/^(?:Bag Attributes|-----BEGIN CERTIFICATE-----)/.test(head)) return false;
  return keyBelow.test(Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 65_536)).toString('latin1'));
}

/** For a file that is published because it is named. It also keeps the cache of its skill from being trusted later. */
export function publishedSecret(reason: string, file: string): Finding {
  return finding('file-secret-published', `published because it is named, although it ${reason}`, { file });
}

/** Absolute paths of files to publish even though they look secret. */
export type NamedFiles = ReadonlySet<string>;

export const noNamedFiles: NamedFiles = new Set();

/** @param shown path as a reader would open it */
export function isNamed(files: NamedFiles, shown: string): boolean {
  return files.size > 0 && files.has(resolve(shown).normalize('NFC'));
}

export function namedFiles(
  roots: readonly { readonly path: string; readonly publish?: readonly string[] }[],
): NamedFiles {
  const all = roots.flatMap(({ path, publish = [] }) => publish.map((file) => resolve(path, file).normalize('NFC')));
  return all.length === 0 ? noNamedFiles : new Set(all);
}
