/** Something in the store that was not as it was written. It never counts, and it is never passed over in silence. */

export interface Corruption {
  readonly file: string;
  /** Of a journal, from 1. */
  readonly line?: number;
  readonly reason: string;
  /** Where the damaged file was kept. */
  readonly copy?: string;
}

export type CorruptionListener = (found: Corruption) => void;

/** For who gave no listener. */
export function warnOfCorruption({ file, line, reason, copy }: Corruption): void {
  const place = line === undefined ? `"${file}"` : `"${file}", line ${line}`;
  process.emitWarning(`${place}: ${reason}${copy === undefined ? '' : ` (kept as "${copy}")`}`, 'SkillwireWarning');
}
