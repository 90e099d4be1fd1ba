/**
 * Reads dialect addresses, from one snapshot and from bytes with the digests of that snapshot. Used only if no file has the address;
 * returns `undefined` if the address means nothing.
 */
import type { Catalog, FileContent } from '../../../catalog/catalog.ts';
import type { FileRecord, SkillRecord, Snapshot } from '../../../catalog/snapshot.ts';
import { encodeManifest } from '../../../dialects/fastmcp/manifest.ts';
import { archiveMediaTypes } from '../../../dialects/skill-index/archive-uri.ts';
import { encodeDocuments } from '../../../dialects/skills-over-mcp/groves-documents.ts';
import { encodeGrovesIndex, encodePromptXml } from '../../../dialects/skills-over-mcp/groves-index.ts';
import { isLostFile, SkillwireError } from '../../../errors.ts';
import { limits } from '../../../limits.ts';
import { quoteText } from '../../../skill/display-text.ts';
import { type JsonValue, skillFileName } from '../../../skill/entry.ts';
import { isJsonObject } from '../../../skill/json.ts';
import { buildSkillUri } from '../../../skill/skill-uri.ts';
import type { SourceContext } from '../../../sources/skill-source.ts';
import { type CacheHint, listHint, skillHint } from '../cache-fields.ts';
import { base64, type ResourceContents, resourceContents } from '../file-contents.ts';
import type { ReportError } from '../method-errors.ts';
import { type Alias, findAlias } from './find-alias.ts';
import { createIndexDocument } from './index-document.ts';
import { skillNames } from './names.ts';
import type { DialectSettings } from './served-dialects.ts';

/** A skill may change while its files are read. After this many attempts the read fails. */
const readAttempts = 4;

export interface AliasAnswer {
  readonly contents: readonly ResourceContents[];
  readonly hint: CacheHint;
}

/** The content at an address, with the requested URI; `undefined` if the address means nothing. */
export type ReadAlias = (uri: string, context: SourceContext) => Promise<AliasAnswer | undefined>;

export function createReadAlias(
  catalog: Catalog,
  settings: DialectSettings,
  report: ReportError | undefined,
): ReadAlias {
  const index = createIndexDocument(catalog, settings, report);

  async function fileAt(uri: string, target: string, context: SourceContext): Promise<ResourceContents> {
    return resourceContents(uri, await catalog.read(target, context));
  }

  async function collection(
    skill: SkillRecord,
    address: string,
    context: SourceContext,
  ): Promise<readonly ResourceContents[] | undefined> {
    const contents: ResourceContents[] = [];
    const maxBytes = limits.dialects.collectionFileBytes;
    let left: number = limits.skill.bytes;
    for (const [path, file] of skill.files) {
      if (path === skillFileName || (file.size ?? 0) > maxBytes) continue;
      const content = await (file.resource === undefined
        ? readUnpromised(file, { ...context, maxBytes })
        : catalog.read(file.uri, context));
      if (content === undefined) continue;
      if (content.file.resource?.digest !== file.resource?.digest) return undefined;
      left -= content.bytes.length;
      if (left < 0) throw tooMuch(address);
      contents.push(resourceContents(buildSkillUri(`${address}/${path}`), content));
    }
    return contents;
  }

  /** A file of a dynamic skill; `undefined` if it is too large, or if the origin fails, which is reported. */
  async function readUnpromised(file: FileRecord, context: SourceContext): Promise<FileContent | undefined> {
    try {
      return await catalog.read(file.uri, context);
    } catch (error) {
      if (error instanceof SkillwireError && error.code === 'LIMIT_EXCEEDED') return undefined;
      if (!isLostFile(error)) throw error;
      report?.(error);
      return undefined;
    }
  }

  async function archive(
    uri: string,
    { skill, format }: Extract<Alias, { kind: 'archive' }>,
  ): Promise<readonly ResourceContents[] | undefined> {
    const bytes = await settings.archives?.bytes(skill, format);
    return bytes === undefined ? undefined : [{ uri, mimeType: archiveMediaTypes[format], blob: base64(bytes) }];
  }

  /** `undefined` if a skill changed since the snapshot. */
  async function contentsOf(
    uri: string,
    alias: Alias,
    snapshot: Snapshot,
    context: SourceContext,
  ): Promise<readonly ResourceContents[] | undefined> {
    const json = (value: unknown): readonly ResourceContents[] => [
      { uri, mimeType: 'application/json', text: JSON.stringify(value) },
    ];
    switch (alias.kind) {
      case 'index':
        return [{ uri, mimeType: 'application/json', text: await index.text(snapshot, context) }];
      case 'groves-index':
        return json(grovesIndex(snapshot));
      case 'prompt-xml': {
        const skills = skillNames(snapshot).named.map(({ name, skill }) => ({ ...skill.entry.frontmatter, name }));
        return [{ uri, mimeType: 'application/xml', text: encodePromptXml(skills) }];
      }
      case 'manifest':
        return json(encodeManifest(alias.skill.entry));
      case 'documents':
        return json(encodeDocuments(alias.skill.files.values(), alias.address));
      case 'collection':
        return collection(alias.skill, alias.address, context);
      case 'archive':
        return archive(uri, alias);
      case 'text':
        return [await fileAt(uri, alias.skill.entry.uri, context)];
      case 'file':
        return [await fileAt(uri, alias.file.uri, context)];
    }
  }

  return async (uri, context) => {
    for (let attempt = 0; attempt < readAttempts; attempt++) {
      const snapshot = await catalog.snapshot(context);
      const alias = findAlias(uri, snapshot, settings)?.alias;
      if (alias === undefined) return undefined;
      const contents = await contentsOf(uri, alias, snapshot, context);
      if (contents === undefined) continue;
      const skill = skillOf(alias);
      const hint = skill === undefined ? listHint(catalog, snapshot, context) : skillHint(catalog, skill, context);
      return { contents, hint };
    }
    throw new SkillwireError('UNSTABLE', `Cannot read "${uri}": it changed while it was read. Try again.`, {
      data: { uri },
    });
  };
}

function tooMuch(address: string): SkillwireError {
  return new SkillwireError(
    'LIMIT_EXCEEDED',
    `The files of ${quoteText(address)} have more than ${limits.skill.bytes} bytes together. Read them one by one.`,
  );
}

function skillOf(alias: Alias): SkillRecord | undefined {
  return 'skill' in alias ? alias.skill : 'file' in alias ? alias.file.skill : undefined;
}

function grovesIndex(snapshot: Snapshot): readonly unknown[] {
  return encodeGrovesIndex(
    skillNames(snapshot).named.map(({ name, skill: { entry, files } }) => {
      const metadata: JsonValue | undefined = entry.frontmatter['metadata'];
      return {
        name,
        description: entry.frontmatter.description,
        documentCount: files.size - 1,
        ...(isJsonObject(metadata) ? { metadata } : {}),
      };
    }),
  );
}
