/** The fields of an entry in every form of the index: name and description. */
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { EntryFault } from '../../skill/entry-faults.ts';
import { nameFault } from '../../skill/name.ts';

export interface NamedFields {
  readonly name: string;
  readonly description: string;
}

/** The rules of v0.2.0 and v0.1 for name and description. */
const rules = {
  '0.2.0': { name: 'W-6', description: 'W-6' },
  '0.1': { name: 'wk01:name', description: 'wk01:description' },
} as const;

/** Faults of name and description. */
export function namedFaults(
  { name, description }: { readonly name?: unknown; readonly description?: unknown },
  version: keyof typeof rules,
): readonly EntryFault[] {
  const faults: EntryFault[] = [];
  const wrong = nameFault(name);
  if (wrong !== undefined) {
    const shown = typeof name === 'string' ? ` ${quoteText(name)}` : '';
    faults.push({ requirement: rules[version].name, message: `name${shown} ${wrong}` });
  }
  const requirement = rules[version].description;
  const most = limits.skill.descriptionLength;
  if (typeof description !== 'string') faults.push({ requirement, message: 'description is not text' });
  else if (description.trim() === '') faults.push({ requirement, message: 'description is blank' });
  else if (description.length > most && [...description].length > most)
    faults.push({ requirement, message: `description has more than ${most} characters` });
  return faults;
}
