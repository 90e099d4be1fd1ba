/**
 * A skill whose files are resources of their own: each is read where its dialect has it. `SKILL.md` is read to list the skill only
 * where the wire does not carry its frontmatter; a digest that stands beside it is held against it at once.
 *
 * FastMCP changes line ends on the way. Bytes that are the promised ones but for that get their line ends back, which their digest
 * proves, and it is told; any other bytes are handed on as they came, to be refused by whoever checks them.
 */
import type { DialectFile, DialectSkill } from '../../../dialects/dialect-skill.ts';
import { decodeManifest, manifestUri, withManifest } from '../../../dialects/fastmcp/manifest.ts';
import { restoreReceived } from '../../../dialects/fastmcp/received-file.ts';
import { type Remark, remark } from '../../../dialects/skills-extension/remark.ts';
import { decodeDocuments } from '../../../dialects/skills-over-mcp/groves-documents.ts';
import { SkillwireError } from '../../../errors.ts';
import { limits } from '../../../limits.ts';
import { quoteText } from '../../../skill/display-text.ts';
import { type Frontmatter, skillFileName } from '../../../skill/entry.ts';
import { decodeUtf8 } from '../../../skill/media-type.ts';
import { RpcError } from '../wire.ts';
import { findContent, type ReadOptions, readContent } from './ask.ts';
import type { Collections } from './collections.ts';
import { fileUriOf, type LoadedSkill, type LoadOptions, requireDigest, skillWith } from './loaded-skill.ts';
import { readHead, withHead } from './skill-head.ts';

export interface TextOptions extends LoadOptions {
  /** Where the files of the skill are listed, in dialects that say so. */
  readonly documents?: string | undefined;
  /** Files that `resources/list` has in the folder of the skill, if that says anything about its files. */
  readonly siblings: (skill: DialectSkill) => Promise<readonly DialectFile[]>;
  readonly collections: Collections;
}

export async function loadText(given: DialectSkill, options: TextOptions): Promise<LoadedSkill> {
  const { dialect, uri, ask, signal, onBytes } = options;
  const remarks: Remark[] = [];
  const listed = await withFiles(given, options, remarks);
  const { skill } = listed;
  const main = skill.retrievals.find((way) => way.kind === 'read');
  if (main === undefined) throw new TypeError(`"${uri}" cannot be read`);
  const files = new Map<string, DialectFile>(
    Array.isArray(skill.files) ? skill.files.map((file: DialectFile) => [file.path, file]) : [],
  );
  const promisedMain = { uri: main.uri, digest: main.digest, size: files.get(skillFileName)?.size };

  /** As it came, but for line ends. */
  async function readFile(path: string, read: ReadOptions): Promise<Uint8Array | undefined> {
    if (dialect === 'skilljack' && path !== skillFileName) return options.collections.file(skill.name, path, read);
    const own = path === skillFileName ? promisedMain : files.get(path);
    if (own === undefined && !hasFolder(skill)) return undefined;
    const bytes = await findContent(ask, own?.uri ?? fileUriOf(skill.uri, path), read);
    if (bytes === undefined || dialect !== 'fastmcp' || own?.digest === undefined) return bytes;
    const received = await restoreReceived(bytes, { digest: own.digest, size: own.size });
    if (received.verdict === 'line-ends') options.onRemark(changedLineEnds(path, fileUriOf(uri, path)));
    return received.bytes;
  }

  async function readMain(read: ReadOptions): Promise<Uint8Array> {
    const bytes = (await readFile(skillFileName, read)) ?? (await readContent(ask, promisedMain.uri, read));
    onBytes(bytes.byteLength);
    await requireDigest(bytes, uri, promisedMain.digest, options.digest);
    return bytes;
  }

  let made: Frontmatter | undefined;
  let { frontmatter } = skill;
  if (frontmatter === undefined) {
    const bytes = await readMain({ maxBytes: limits.host.skillMdBytes, signal });
    const head = readHead(skill, uri, bytes, dialect);
    remarks.push(...head.remarks);
    frontmatter = head.frontmatter;
    if (head.made) made = frontmatter;
  }
  const complete = listed.complete;
  return {
    skill: { ...skillWith(skill, uri, frontmatter, { made: made !== undefined, complete }), listed: true },
    remarks,
    async file(path, read) {
      if (made === undefined || path !== skillFileName) return readFile(path, read);
      return withHead(made, decodeUtf8(await readMain(read)) ?? '');
    },
  };
}

/** Whether files lie beside `SKILL.md`, each at its path. */
function hasFolder({ uri }: DialectSkill): boolean {
  return uri.endsWith(`/${skillFileName}`);
}

interface WithFiles {
  readonly skill: DialectSkill;
  readonly complete: boolean;
}

/** The skill with the files that its dialect lists. */
async function withFiles(skill: DialectSkill, options: TextOptions, remarks: Remark[]): Promise<WithFiles> {
  const { dialect, documents, uri, signal } = options;
  if (skill.files !== 'unknown') return { skill, complete: true };
  const place = dialect === 'fastmcp' ? manifestUri(skill.uri) : documents;
  if (place === undefined) {
    if (dialect === 'nimblebrain' || dialect === 'skills-over-mcp')
      return { skill: { ...skill, files: [] }, complete: true };
    if (dialect === 'skilljack') {
      const { files, complete } = await options.collections.files(skill.name, signal);
      return { skill: { ...skill, files }, complete };
    }
    const files = await options.siblings(skill);
    return files.length === 0 ? { skill, complete: true } : { skill: { ...skill, files }, complete: false };
  }
  const rule = dialect === 'fastmcp' ? 'fastmcp:manifest-rows' : 'som:documents';
  try {
    const bytes = await readContent(options.ask, place, { maxBytes: limits.origin.pageBytes, signal });
    options.onBytes(bytes.byteLength);
    const document: unknown = JSON.parse((decodeUtf8(bytes) ?? '').replace(/^\ufeff/, ''));
    const manifest = dialect === 'fastmcp' ? decodeManifest(document, skill.uri) : undefined;
    const { files, refused } = manifest ?? decodeDocuments(document, skill.skillPath);
    for (const { message } of refused) remarks.push(remark(rule, `a file is left out: ${message}`, uri));
    remarks.push(...(manifest?.remarks ?? []));
    const known = manifest === undefined ? { ...skill, files } : withManifest(skill, manifest);
    return { skill: known, complete: refused.length === 0 };
  } catch (error) {
    if (!isUseless(error)) throw error;
    const why = error instanceof RpcError ? `is answered with error ${error.code}` : 'is of no use';
    remarks.push(remark(rule, `${quoteText(place)} ${why}; it does not say which files the skill has`, uri));
    return { skill, complete: true };
  }
}

/** Whether a document was answered, but not one that could be used. */
function isUseless(error: unknown): boolean {
  if (error instanceof RpcError || error instanceof SyntaxError) return true;
  return error instanceof SkillwireError && (error.code === 'BAD_ANSWER' || error.code === 'VERIFICATION_FAILED');
}

function changedLineEnds(path: string, uri: string): Remark {
  return remark(
    'fastmcp:line-ends',
    `the server changes the line ends of ${quoteText(path)} on the way; with those that it has on disk it is what the manifest promises`,
    uri,
  );
}
