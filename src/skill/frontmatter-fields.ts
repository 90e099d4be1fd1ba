/**
 * Checks the fields of a frontmatter against the Agent Skills specification. Faults in `name` and `description`, which
 * hosts list, are problems. Other faults are warnings, because the entry carries every field unchanged.
 */
import { limits } from '../limits.ts';
import { scalarAmbiguity } from './ambiguous-scalars.ts';
import { clientFaults, clientFields } from './client-rules.ts';
import { quoteText } from './display-text.ts';
import { type Finding, finding } from './finding.ts';
import type { FrontmatterField } from './frontmatter-yaml.ts';
import { isJsonObject } from './json.ts';
import { isSkillName, nameFault, suggestName } from './name.ts';
import { keyText, resolveAlias } from './yaml-tree.ts';

type Fields = ReadonlyMap<string, FrontmatterField>;
/** Rules about values alone need no tree. */
type Values = ReadonlyMap<string, Pick<FrontmatterField, 'line' | 'value'>>;

const knownFields: ReadonlySet<string> = new Set([
  'name',
  'description',
  'license',
  'compatibility',
  'metadata',
  'allowed-tools',
]);

const unknownShown = 10;

const controlCharacter = /(?![\n\t])\p{Cc}/u;

const reservedPrefix = 'io.modelcontextprotocol/';

/** Findings about all fields. `line` is the start of the frontmatter, for missing fields. */
export function checkFields(fields: Fields, line: number): readonly Finding[] {
  return [
    ...checkName(fields.get('name'), line),
    ...checkDescription(fields.get('description'), line),
    ...checkOptional(fields),
    ...checkListable(fields),
    ...checkReserved(fields.get('metadata')),
    ...checkUnknown(fields),
  ];
}

/**
 * The findings of `checkFields()` if name, description and the keys of the metadata follow all rules; otherwise
 * `undefined`.
 */
export function checkCommonFields(fields: Values): readonly Finding[] | undefined {
  const description = fields.get('description')?.value;
  if (!isSkillName(fields.get('name')?.value) || typeof description !== 'string') return undefined;
  if (description.trim() === '' || description.length > limits.skill.descriptionLength) return undefined;
  if (controlCharacter.test(description)) return undefined;
  const metadata = fields.get('metadata')?.value;
  if (isJsonObject(metadata) && Object.keys(metadata).some((key) => key.startsWith(reservedPrefix))) return undefined;
  return [...checkOptional(fields), ...checkListable(fields), ...checkUnknown(fields)];
}

/** One note for all of them: most skills have some, for the clients they were written for. */
function checkUnknown(fields: Values): readonly Finding[] {
  const unknown = [...fields.keys()].filter((key) => !knownFields.has(key));
  const [first] = unknown;
  if (first === undefined) return [];
  const names = unknown.slice(0, unknownShown).map((key) => quoteText(key));
  if (unknown.length > unknownShown) names.push('...');
  const what = unknown.length === 1 ? `the field ${names[0]} is` : `${unknown.length} fields are`;
  const which = unknown.length === 1 ? '' : `: ${names.join(', ')}`;
  const message = `${what} not in the Agent Skills specification${which}`;
  return [finding('frontmatter-unknown-key', message, { line: fields.get(first)?.line })];
}

function checkName(field: FrontmatterField | undefined, line: number): readonly Finding[] {
  if (field === undefined) return [finding('name-missing', 'the frontmatter has no name', { line })];
  const { value } = field;
  if (value === null) return [finding('name-missing', 'the field "name" has no value', { line: field.line })];
  const fault = nameFault(value);
  if (fault === undefined) return [];
  const node = resolveAlias(field.node);
  const written = node?.kind === 'scalar' ? node.text : '';
  const suggestion = suggestName(written);
  const shown = node?.kind === 'scalar' ? ` ${quoteText(written)}` : '';
  return [
    finding('name-invalid', `the name${shown} ${fault}`, {
      line: field.line,
      remedy: suggestion === undefined ? undefined : `write "name: ${nameYaml(suggestion)}"`,
    }),
  ];
}

function checkDescription(field: FrontmatterField | undefined, line: number): readonly Finding[] {
  if (field === undefined) return [finding('description-missing', 'the frontmatter has no description', { line })];
  const { value } = field;
  if (value === null)
    return [finding('description-missing', 'the field "description" has no value', { line: field.line })];
  const invalid = (message: string, remedy?: string): readonly Finding[] => [
    finding('description-invalid', message, { line: field.line, remedy }),
  ];
  if (typeof value !== 'string')
    return invalid('the description is not text', 'write the description as text, in quotes');
  if (value.trim() === '') return invalid('the description is blank');
  const findings: Finding[] = [];
  const length = characterCount(value);
  const most = limits.skill.descriptionLength;
  if (length > most) {
    findings.push(
      ...invalid(
        `the description has ${length} characters; at most ${most} are allowed`,
        'shorten it; details belong in the body',
      ),
    );
  }
  const control = controlCharacter.exec(value)?.[0];
  if (control !== undefined) {
    findings.push(
      ...invalid(`the description contains the control character ${quoteText(control)}`, 'remove the character'),
    );
  }
  return findings;
}

/** The specification counts code points. */
function characterCount(text: string): number {
  return [...text].length;
}

function checkOptional(fields: Values): readonly Finding[] {
  const findings: Finding[] = [];
  for (const key of ['license', 'allowed-tools']) {
    const field = fields.get(key);
    if (field === undefined || typeof field.value === 'string') continue;
    const remedy =
      key === 'license' ? 'write the license as text' : 'write the tools as one string, with spaces between them';
    findings.push(finding('frontmatter-field-type', `the field "${key}" is not text`, { line: field.line, remedy }));
  }
  return findings;
}

/** The official client rejects every listing with such a skill. */
function checkListable(fields: Values): readonly Finding[] {
  const values = Object.fromEntries(
    clientFields.flatMap(({ field }) => (fields.has(field) ? [[field, fields.get(field)?.value ?? null]] : [])),
  );
  return clientFaults(values).map(({ field, message }) =>
    finding(
      'frontmatter-not-listed',
      `${message}; the official MCP client rejects listings with this skill, so it is not listed`,
      {
        line: fields.get(field)?.line,
      },
    ),
  );
}

function checkReserved(field: FrontmatterField | undefined): readonly Finding[] {
  const node = field === undefined ? undefined : resolveAlias(field.node);
  const findings: Finding[] = [];
  for (const pair of node?.kind === 'mapping' ? node.pairs : []) {
    const key = keyText(pair.key);
    if (!key?.startsWith(reservedPrefix)) continue;
    findings.push(
      finding('frontmatter-reserved-key', `the metadata key ${quoteText(key)} is reserved`, { line: pair.line }),
    );
  }
  return findings;
}

/** A name as YAML that every reader reads as text. */
export function nameYaml(name: string): string {
  return scalarAmbiguity(name) === undefined ? name : `'${name}'`;
}

/** Proposes the folder's name in the remedy of a name finding, because some hosts compare the two. */
export function withFolderName(found: Finding, folder: string): Finding {
  if (found.rule !== 'name-invalid' && found.rule !== 'name-missing') return found;
  const [verb, name] = [found.rule === 'name-missing' ? 'add the line' : 'write', suggestName(folder)];
  if (name === undefined) return found;
  const written = `${verb} "name: ${nameYaml(name)}"`;
  const remedy = isSkillName(folder) ? written : `${written} and rename the folder to ${quoteText(name)}`;
  return { ...found, remedy };
}
