/**
 * Reads the files of a skill for a person, verified against its entry. A file that fails verification is a failure of the result; a skill
 * that changes meanwhile is an error.
 */

import { isUtf8 } from 'node:buffer';
import { SkillwireError, VerificationError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import type { CapturedEntry } from '../host/load/capture.ts';
import { limits } from '../limits.ts';
import { sha256Digest } from '../skill/digest.ts';
import { quoteText } from '../skill/display-text.ts';
import type { Progress } from './progress.ts';

export interface ReadFiles {
  /** By URI. */
  readonly bytes: ReadonlyMap<string, Uint8Array>;
  /** By URI, those that are text. */
  readonly texts: ReadonlyMap<string, string>;
  readonly failures: readonly VerificationError[];
}

export async function readFiles(
  host: Host,
  captured: CapturedEntry,
  which: 'skill-file' | 'all',
  signal: AbortSignal,
  progress: Progress,
): Promise<ReadFiles> {
  const { entry } = captured;
  const uris = which === 'all' && entry.resources !== 'dynamic' ? entry.resources.map(({ uri }) => uri) : [entry.uri];
  const bytes = new Map<string, Uint8Array>();
  const failures: VerificationError[] = [];
  let next = 0;
  let done = 0;
  let read = 0;
  const worker = async (): Promise<void> => {
    for (let uri = uris[next++]; uri !== undefined; uri = uris[next++]) {
      const found = await readFile(host, captured, uri, signal);
      if (found instanceof VerificationError) failures.push(found);
      else {
        bytes.set(uri, found);
        read += found.byteLength;
      }
      progress.count({ done: ++done, of: uris.length, bytes: read }, 'file');
    }
  };
  await Promise.all(Array.from({ length: Math.min(limits.cli.parallelReads, uris.length) }, worker));
  const texts = new Map<string, string>();
  for (const [uri, content] of bytes) {
    const text = textOf(content);
    if (text !== undefined) texts.set(uri, text);
  }
  return { bytes, texts, failures };
}

async function readFile(
  host: Host,
  { label, entry }: CapturedEntry,
  uri: string,
  signal: AbortSignal,
): Promise<Uint8Array | VerificationError> {
  try {
    const { bytes } = await host.inspect({ label, uri: entry.uri }, uri, { signal });
    const captured = entry.resources === 'dynamic' ? undefined : entry.resources.find((known) => known.uri === uri);
    if (captured === undefined || (await sha256Digest(bytes)) === captured.digest) return bytes;
    throw new SkillwireError('UNSTABLE', `${quoteText(uri)} changed while the skill was being read. Run this again.`, {
      data: { origin: label, uri },
    });
  } catch (error) {
    if (error instanceof VerificationError) return error;
    throw error;
  }
}

/** The bytes as text with every character, a byte-order mark too; `undefined` if they are not UTF-8 text. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (!isUtf8(bytes) || bytes.includes(0)) return undefined;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
