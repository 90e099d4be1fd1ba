/**
 * The lines of a SKILL.md with the remedy of a finding pasted, and the folder's new name if the remedy asks for one. `undefined`: the
 * remedy has no line to paste. The check of real skills and its test share it.
 */
export function pasteRemedy(lines, { rule, remedy, line }) {
  const value = /^write (?:the line|lines (\d+) to (\d+) together) as: (.*)$/s.exec(remedy);
  if (value !== null)
    return { lines: lines.toSpliced(line - 1, Number(value[2] ?? line) - Number(value[1] ?? line) + 1, value[3]) };
  const name = /^(?:write|add the line) "(name: (?!\.\.\.)[^"]+)"/.exec(remedy)?.[1];
  if (name === undefined) return undefined;
  const folder = /rename the folder to "([^"]+)"/.exec(remedy)?.[1];
  if (rule === 'name-missing' && !/^name\s*:/.test(lines[line - 1] ?? ''))
    return { lines: lines.toSpliced(1, 0, name), folder };
  // A value over several lines is replaced as a whole.
  const more = lines.slice(line).findIndex((next) => !/^\s+\S/.test(next));
  return { lines: lines.toSpliced(line - 1, 1 + Math.max(0, more), name), folder };
}
