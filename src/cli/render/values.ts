/** Counts, sizes, times and digests as people read them. */

const units = ['KiB', 'MiB', 'GiB', 'TiB'] as const;

/** "512 B", "1.4 KiB", "16 MiB". */
export function byteSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1023.5 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value < 9.95 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)} ${units[unit]}`;
}

/** A number with its noun: "1 skill", "2 skills", "2 entries". */
export function counted(count: number, noun: string, plural: string = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** `sha256:` and the first twelve digits. */
export function shortDigest(digest: string): string {
  return digest.slice(0, 'sha256:'.length + 12);
}

/** "2026-11-17 09:30" of an ISO time. */
export function minuteText(time: string): string {
  return time.slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ');
}

/** "2026-11-17 09:30:05" of an ISO time, or "-". */
export function secondText(time: string | undefined): string {
  return time?.replace('T', ' ').slice(0, 'yyyy-mm-dd hh:mm:ss'.length) ?? '-';
}

/** The first three of a list, and how many more there are. */
export function someOf(texts: readonly string[]): string {
  const most = 3;
  const shown = texts.slice(0, most).join(', ');
  return texts.length > most ? `${shown} and ${texts.length - most} more` : shown;
}
