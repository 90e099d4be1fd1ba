/**
 * The in-toto statement that a skill signature signs (OpenSSF Model Signing v1.0): every file with its digest. It is read only after
 * its signature was verified. Names are compared, never opened.
 */
import { createHash } from 'node:crypto';
import { limits } from '../limits.ts';
import { type ContentFiles, signatureFileName } from '../skill/content-digest.ts';
import { quoteText } from '../skill/display-text.ts';
import { foldName, segmentFault } from '../skill/file-path.ts';
import { isJsonObject, type JsonObject } from '../skill/json.ts';
import { JsonFault, parseStrictJson } from './strict-json.ts';

export const statementPayloadType = 'application/vnd.in-toto+json';
const statementType = 'https://in-toto.io/Statement/v1';
const predicateType = 'https://model_signing/signature/v1.0';

export interface SignedFiles {
  /** `sha256:` digests by relative path, in the order of the statement. */
  readonly files: ContentFiles;
  /** Paths that the signer left unsigned. */
  readonly ignored: readonly string[];
}

export type StatementReading =
  | { readonly ok: true; readonly signed: SignedFiles }
  | { readonly ok: false; readonly supported: boolean; readonly step: 'statement' | 'names'; readonly reason: string };

class StatementFault extends Error {
  readonly step: 'statement' | 'names';
  readonly supported: boolean;

  constructor(reason: string, { step = 'statement' as 'statement' | 'names', supported = true } = {}) {
    super(reason);
    this.step = step;
    this.supported = supported;
  }
}

const unsupported = { supported: false };
const inNames = { step: 'names' } as const;

export function readStatement(payloadType: string, payload: Uint8Array): StatementReading {
  try {
    if (payloadType !== statementPayloadType)
      throw new StatementFault('it signs another type of document', unsupported);
    return { ok: true, signed: signedFiles(parseStrictJson(payload)) };
  } catch (error) {
    if (error instanceof JsonFault)
      return { ok: false, supported: true, step: 'statement', reason: `its statement ${error.message}` };
    if (!(error instanceof StatementFault)) throw error;
    return { ok: false, supported: error.supported, step: error.step, reason: error.message };
  }
}

/** The bytes to sign. Files are in code-point order, as the specification says. */
export function writeStatement(name: string, { files, ignored }: SignedFiles): Uint8Array {
  const rows = [...files].filter(([path]) => path !== signatureFileName).sort(([a], [b]) => compareCodePoints(a, b));
  const resources = rows.map(([path, digest]) => ({ name: path, algorithm: 'sha256', digest: digest.slice(7) }));
  const statement = {
    _type: statementType,
    subject: [{ name, digest: { sha256: rootDigest(resources.map(({ digest }) => digest)) } }],
    predicateType,
    predicate: {
      resources,
      serialization: {
        method: 'files',
        hash_type: 'sha256',
        allow_symlinks: false,
        // Other tools accept the signature file itself only if it is listed.
        ignore_paths: [...new Set([signatureFileName, ...ignored])].sort(compareCodePoints),
      },
    },
  };
  return Buffer.from(JSON.stringify(statement, undefined, 2));
}

function signedFiles(statement: unknown): SignedFiles {
  if (!isJsonObject(statement)) throw new StatementFault('its statement is not a JSON object');
  if (statement['_type'] !== statementType) throw new StatementFault('its statement has another version', unsupported);
  if (statement['predicateType'] !== predicateType)
    throw new StatementFault('its statement is about something other than the files of a folder', unsupported);
  const { predicate } = statement;
  if (!isJsonObject(predicate)) throw new StatementFault('its statement has no predicate');
  const ignored = serializationOf(predicate);
  const { resources } = predicate;
  if (!Array.isArray(resources) || resources.length === 0) throw new StatementFault('its statement lists no files');
  if (resources.length > limits.signing.files)
    throw new StatementFault(
      `its statement lists ${resources.length} files; at most ${limits.signing.files} are allowed`,
    );
  const files = new Map<string, string>();
  const foldedNames = new Set<string>();
  for (const resource of resources) {
    const [name, digest] = resourceOf(resource);
    const fold = foldName(name);
    if (foldedNames.has(fold)) throw new StatementFault(`it signs ${quoteText(name)} twice`, inNames);
    foldedNames.add(fold);
    files.set(name, `sha256:${digest}`);
  }
  assertSubject(statement, [...files.values()]);
  return { files, ignored };
}

function serializationOf({ serialization }: JsonObject): readonly string[] {
  if (!isJsonObject(serialization)) throw new StatementFault('its statement does not say how files were hashed');
  const { method, hash_type: hash, ignore_paths: ignored = [] } = serialization;
  if (method !== 'files') throw new StatementFault('it signs parts of files, not whole files', unsupported);
  if (hash !== 'sha256') throw new StatementFault('its files are not hashed with SHA-256', unsupported);
  if (!Array.isArray(ignored) || !ignored.every((path) => typeof path === 'string'))
    throw new StatementFault('"ignore_paths" must be a list of paths');
  return ignored;
}

function resourceOf(resource: unknown): readonly [name: string, digest: string] {
  const { name, algorithm, digest } = isJsonObject(resource) ? resource : {};
  if (typeof name !== 'string') throw new StatementFault('it signs a file without a name', inNames);
  const fault = nameFault(name);
  if (fault !== undefined) throw new StatementFault(`the signed name ${quoteText(name)} ${fault}`, inNames);
  if (algorithm !== 'sha256')
    throw new StatementFault(`${quoteText(name)} has another hash than the statement says`, inNames);
  if (typeof digest !== 'string' || !/^[0-9a-f]{64}$/.test(digest))
    throw new StatementFault(`the digest of ${quoteText(name)} is not SHA-256`, inNames);
  return [name, digest];
}

function nameFault(name: string): string | undefined {
  if (name.length > limits.path.characters) return `has more than ${limits.path.characters} characters`;
  if (/^[A-Za-z]:/.test(name)) return 'starts with a drive';
  for (const segment of name.split('/')) {
    const fault = segmentFault(segment);
    if (fault !== undefined) return segment === '' ? 'has an empty segment' : fault;
  }
  return undefined;
}

/** The digest of the subject is over the listed order. Its name is informational. */
function assertSubject({ subject }: JsonObject, digests: readonly string[]): void {
  if (!Array.isArray(subject) || subject.length !== 1)
    throw new StatementFault('its statement must have exactly one subject');
  const { digest } = isJsonObject(subject[0]) ? subject[0] : {};
  const { sha256 } = isJsonObject(digest) ? digest : {};
  if (sha256 !== rootDigest(digests.map((text) => text.slice(7))))
    throw new StatementFault('the digest of its subject does not match its files', inNames);
}

function rootDigest(digests: readonly string[]): string {
  const hash = createHash('sha256');
  for (const digest of digests) hash.update(digest, 'hex');
  return hash.digest('hex');
}

function compareCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
