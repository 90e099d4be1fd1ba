/** What the words after the origin of `skillwire templates` mean: a template, and values of its variables. */
import type { SkillTemplate } from '../../dialects/resource-templates/skill-templates.ts';
import { SkillwireError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';

export type Values = Readonly<Record<string, string>>;

/** The template that is meant, and the words that are not about it. @throws SkillwireError USAGE */
export function chooseTemplate(
  found: readonly SkillTemplate[],
  words: readonly string[],
): { readonly template: SkillTemplate; readonly rest: readonly string[] } {
  const [first, ...rest] = words;
  if (found.length === 0)
    throw new SkillwireError('USAGE', 'the server has no templates of skills; "skillwire list" lists its skills');
  if (first === undefined || isValue(first)) {
    const [template] = found;
    if (template !== undefined && found.length === 1) return { template, rest: words };
    throw new SkillwireError('USAGE', `the server has ${found.length} templates; name one by its text, name or number`);
  }
  const byNumber = /^\d{1,4}$/.test(first) ? found[Number(first) - 1] : undefined;
  const fitting = found.filter(({ template, name }) => template.text === first || name === first);
  const [template, ...others] = byNumber === undefined ? fitting : [byNumber];
  if (template === undefined)
    throw new SkillwireError('USAGE', `there is no template ${quoteText(first)}; list them without one`);
  if (others.length > 0)
    throw new SkillwireError(
      'USAGE',
      `${fitting.length} templates are named ${quoteText(first)}; name one by its number`,
    );
  return { template, rest };
}

/** @throws SkillwireError USAGE for what is no value of one of the variables */
export function parseValues(words: readonly string[], variables: readonly string[]): Values {
  const values: Record<string, string> = {};
  for (const word of words) {
    const equals = word.indexOf('=');
    const name = word.slice(0, equals);
    if (!isValue(word)) throw new SkillwireError('USAGE', `${quoteText(word)} is not NAME=VALUE`);
    if (!variables.includes(name))
      throw new SkillwireError('USAGE', `${quoteText(name)} is no variable; choose one of ${variables.join(', ')}`);
    if (values[name] !== undefined)
      throw new SkillwireError('USAGE', `${quoteText(name)} is given twice; give it once`);
    values[name] = word.slice(equals + 1);
  }
  return values;
}

function isValue(word: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]*=./s.test(word);
}
