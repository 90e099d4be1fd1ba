/** A number with its noun: "1 skill", "2 skills", "2 entries". */
export function counted(count: number, noun: string, plural: string = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
