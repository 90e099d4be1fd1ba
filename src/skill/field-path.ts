/** How messages name a field inside a value: `metadata.version`, `hooks[0].command`, `metadata["a.b"]`. */

/** Keys as texts, places in lists as numbers from 0. Keys that could be taken for something else stand in quotes. */
export function fieldPath(steps: readonly (string | number)[]): string {
  let path = '';
  for (const step of steps) {
    if (typeof step === 'number') path += `[${step}]`;
    else if (!/^[\w-]+$/.test(step)) path += `[${JSON.stringify(step)}]`;
    else path += path === '' ? step : `.${step}`;
  }
  return path;
}
