import { limits } from '../../limits.ts';
import { quoteText, shortText } from '../../skill/display-text.ts';
import { skillFileName } from '../../skill/entry.ts';
import type { EntryFault } from '../../skill/entry-faults.ts';
import { isJsonObject } from '../../skill/json.ts';
import { tryParseResourceUri } from '../../skill/resource-uri.ts';
import type { DialectFile } from '../dialect-skill.ts';
import { createPathSet, relativePathFault } from '../relative-path.ts';
import { badAnswer } from '../skills-extension/answer-fields.ts';
import { buildGrovesUri } from './groves-uris.ts';

export interface GrovesDocument {
  readonly path: string;
  readonly mimeType: string;
  /** Absent if unknown. */
  readonly size?: number | undefined;
  readonly uri: string;
}

export interface GrovesDocuments {
  readonly skill: string;
  readonly documents: readonly GrovesDocument[];
}

export interface GrovesDocumentsReading {
  readonly skill?: string;
  readonly files: readonly DialectFile[];
  readonly refused: readonly EntryFault[];
}

/** The documents of the skill at `address`: its name or path. */
export function encodeDocuments(
  files: Iterable<{ readonly path: string; readonly mediaType: string; readonly size?: number | undefined }>,
  address: string,
): GrovesDocuments {
  const documents: GrovesDocument[] = [];
  for (const { path, mediaType, size } of files)
    if (path !== skillFileName)
      documents.push({
        path,
        mimeType: mediaType,
        size,
        uri: buildGrovesUri({ kind: 'document', skillPath: address, path }),
      });
  return { skill: address, documents };
}

/**
 * Reads the list of documents. An unusable row never hides the others.
 *
 * @throws SkillwireError `BAD_ANSWER` if there is no list
 */
export function decodeDocuments(document: unknown, skillPath: string): GrovesDocumentsReading {
  const what = `resources/read of ${buildGrovesUri({ kind: 'documents', skillPath })}`;
  if (!isJsonObject(document) || !Array.isArray(document['documents']))
    throw badAnswer(what, 'the document has no list "documents"');
  const rows: readonly unknown[] = document['documents'];
  if (rows.length > limits.skill.files)
    throw badAnswer(what, `it lists ${rows.length} files; at most ${limits.skill.files} are allowed`);
  const files: DialectFile[] = [];
  const refused: EntryFault[] = [];
  const paths = createPathSet();
  for (const [index, row] of rows.entries()) {
    const file = decodeRow(`documents[${index}]`, row, skillPath);
    const fault = typeof file === 'string' ? file : paths.add(file.path);
    if (typeof file === 'string' || fault !== undefined)
      refused.push({
        requirement: 'som:documents',
        message: typeof file === 'string' ? file : `documents[${index}].path ${quoteText(file.path)} ${fault}`,
      });
    else files.push(file);
  }
  const { skill } = document;
  return { ...(typeof skill === 'string' ? { skill } : {}), files, refused: refused.slice(0, limits.origin.faults) };
}

function decodeRow(field: string, row: unknown, skillPath: string): DialectFile | string {
  if (!isJsonObject(row)) return `${field} is not an object`;
  const { path, mimeType, size } = row;
  const fault = relativePathFault(path);
  if (typeof path !== 'string' || fault !== undefined)
    return `${field}.path${typeof path === 'string' ? ` ${quoteText(path)}` : ''} ${fault}`;
  if (size !== undefined && !(Number.isSafeInteger(size) && Number(size) >= 0))
    return `${field}.size ${shortText(JSON.stringify(size))} is not a whole number of bytes`;
  const { uri = buildGrovesUri({ kind: 'document', skillPath, path }) } = row;
  if (typeof uri !== 'string' || tryParseResourceUri(uri) === undefined) return `${field}.uri is not the URI of a file`;
  return {
    path,
    uri,
    ...(size === undefined ? {} : { size: Number(size) }),
    ...(typeof mimeType === 'string' ? { mimeType } : {}),
  };
}
