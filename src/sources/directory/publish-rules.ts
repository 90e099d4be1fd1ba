/**
 * What is never published from a folder, whatever it is called elsewhere: hidden files, version control, dependencies,
 * leftovers of editors and interpreters, private keys. Manifest, directory and file reads all follow from this one answer.
 */

export interface Withheld {
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
const keyNames = /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$|\.(?:ppk|p12|pfx|jks|keystore|kdbx)$/i;

/** Why a name is never published, or undefined if it may be. `secret` marks what an author should be told about. */
export function withheldName(name: string, isFolder: boolean): { reason: string; secret: boolean } | undefined {
  if (name.startsWith('.')) return { reason: 'hidden', secret: false };
  if (isFolder) {
    const reason = folders.get(name);
    return reason === undefined ? undefined : { reason, secret: false };
  }
  if (keyNames.test(name)) return { reason: 'looks like a private key or key store', secret: true };
  if (backups.test(name)) return { reason: 'left over by an editor', secret: false };
  if (systemFiles.test(name)) return { reason: 'left over by the system', secret: false };
  return undefined;
}

const keyHeader = /^(?:\xEF\xBB\xBF)?\s{0,64}(?:-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----|PuTTY-User-Key-File-\d)/;
/** Key files may have certificates and attributes before the key. */
const keyBelow = /^(?:Bag Attributes|-----BEGIN CERTIFICATE-----)[\s\S]*^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----/m;

/** The first bytes that such files have: the mark of UTF-8, white space, "-", "P" and "B". */
const firstOfKeys: ReadonlySet<number> = new Set([0xef, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0xa0, 0x2d, 0x50, 0x42]);

/** True if a file begins as files with private keys do. A text that merely shows a key further down does not. */
export function beginsAsPrivateKey(bytes: Uint8Array): boolean {
  if (!firstOfKeys.has(bytes[0] ?? 0)) return false;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 160)).toString('latin1');
  if (keyHeader.test(head)) return true;
  if (!/^(?:Bag Attributes|-----BEGIN CERTIFICATE-----)/.test(head)) return false;
  return keyBelow.test(Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 65_536)).toString('latin1'));
}
