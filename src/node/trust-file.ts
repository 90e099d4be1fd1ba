/** Reads the file of a key or certificate, within a limit. */
import { open } from 'node:fs/promises';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';

/** @throws SkillwireError USAGE */
export async function readTrustFile(path: string, shown = path): Promise<string> {
  const most = limits.signing.trustFileBytes;
  const unusable = (message: string, cause?: unknown): SkillwireError =>
    new SkillwireError('USAGE', message, { data: { file: shown }, cause });
  try {
    const file = await open(path);
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(most + 1));
      if (bytesRead <= most) return buffer.toString('utf8', 0, bytesRead);
      throw unusable(`${quoteText(shown)} is not a key or certificate: it has over ${most} bytes.`);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
    throw unusable(`Cannot read ${quoteText(shown)}: ${error.message}. Name an existing file.`, error);
  }
}
