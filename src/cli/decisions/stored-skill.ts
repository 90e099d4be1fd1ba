/** Finds stored records of a skill by label and name, without contacting its origin. */
import { SkillwireError } from '../../errors.ts';
import { labelAndSkill } from '../../origins/parse-origin.ts';
import { oneOrigin, type ReadingContext } from '../../origins/resolve-reading.ts';
import { didYouMean } from '../../skill/did-you-mean.ts';
import { quoteText } from '../../skill/display-text.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';

interface Stored {
  readonly label: string;
  readonly uri: string;
  readonly name: string;
}

/** The label of an ORIGIN argument: one with stored records, else the label under which it would be read. */
export async function storedLabel(
  argument: string,
  stored: readonly Pick<Stored, 'label'>[],
  place: () => Promise<ReadingContext>,
): Promise<string> {
  const labels = stored.map(({ label }) => label);
  if (labels.includes(argument)) return argument;
  const context = await place();
  const named = labelAndSkill(argument, labels);
  if (named === undefined || context.chosen === undefined)
    return (await oneOrigin(argument, { insecureHttp: true }, context)).label;
  context.chosen(named.skill);
  return named.configured;
}

/** Matches by URI, by path, or by a unique name. */
export function matchStored<Row extends Stored>(reference: string, rows: readonly Row[], remedy: string): Row {
  const exact = rows.filter(({ uri }) => uri === reference || pathOf(uri) === reference);
  const found = exact.length > 0 ? exact : rows.filter(({ name }) => name === reference);
  const [only, second] = found;
  if (only === undefined) {
    const near = didYouMean(
      reference,
      rows.map(({ name }) => name),
    );
    throw new SkillwireError('SKILL_NOT_FOUND', `No skill named ${quoteText(reference)}.${near} ${remedy}`, {
      data: { reference },
    });
  }
  if (second === undefined) return only;
  throw new SkillwireError(
    'AMBIGUOUS_SKILL',
    `${found.length} skills are named ${quoteText(reference)}. Use a URI: ${found.map(({ uri }) => uri).join(', ')}`,
    { data: { reference, uris: found.map(({ uri }) => uri) } },
  );
}

/** `acme/refunds` for `skill://acme/refunds/SKILL.md`. */
function pathOf(uri: string): string | undefined {
  return tryParseSkillUri(uri)?.segments.slice(0, -1).join('/');
}
