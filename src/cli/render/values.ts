/** A number of bytes for a person: "512 B", "1.4 KiB", "16 MiB". */
const units = ['KiB', 'MiB', 'GiB', 'TiB'] as const;

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
