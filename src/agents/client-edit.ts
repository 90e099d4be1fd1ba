/**
 * Puts one server into the text of a host's configuration file. Everything else stays as it is to the byte: other servers, unknown
 * keys, comments, order, indentation. Each language has a small editor of text; what it made is then read back with a parser, and
 * unless the result is the old content plus exactly this entry, nothing is given out. Pure: reads and writes no file.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { ClientConfig } from './client-config.ts';
import { jsonEditor } from './edit-json.ts';
import { tomlEditor } from './edit-toml.ts';
import { yamlEditor } from './edit-yaml.ts';
import { type Fields, fieldsOf, type TextEditor } from './text-editor.ts';

export interface ClientEdit {
  readonly text: string;
  readonly change: 'added' | 'replaced' | 'unchanged';
}

export interface ClientEditOptions {
  /** Named in messages. */
  readonly file: string;
  /** Keys of an entry that are ours to remove; others were added by the person and stay. */
  readonly own: readonly string[];
  /** Change an entry of this name that is there already. */
  readonly replace: boolean;
}

const editors: Readonly<Record<ClientConfig['language'], TextEditor>> = {
  json: jsonEditor,
  toml: tomlEditor,
  yaml: yamlEditor,
};

/**
 * The text of the file with the server in it.
 *
 * @param before empty where there is no file yet
 * @throws SkillwireError HOST_FILE_UNUSABLE where the text cannot be changed without harm; USAGE where another server has the name
 */
export function editClientText(before: string, config: ClientConfig, options: ClientEditOptions): ClientEdit {
  const { file, own, replace } = options;
  const { root, name, entry, inputs, language } = config;
  if (before.length > limits.agents.hostFileCharacters) throw unusable(file, 'it is too long', config);
  const bom = before.startsWith('\uFEFF') ? '\uFEFF' : '';
  const text = before.slice(bom.length);
  if (text.trim() === '') return { text: `${bom}${config.text}`, change: 'added' };
  const editor = editors[language];
  const content = fieldsOf(parsed(editor, text, file, config));
  if (content === undefined) throw unusable(file, 'its content is no table of settings', config);
  const servers = content[root] ?? {};
  const old = fieldsOf(servers)?.[name];
  if (fieldsOf(servers) === undefined || (old !== undefined && old !== null && fieldsOf(old) === undefined))
    throw unusable(file, `"${root}" in it is not what it should be`, config);
  const present = fieldsOf(old ?? undefined);
  const kept = Object.entries(present ?? {}).filter(([key]) => !own.includes(key));
  const wanted: Fields = { ...Object.fromEntries(kept), ...entry };
  const allInputs = withInputs(content.inputs, inputs);
  if (present !== undefined && same(present, wanted) && same(content.inputs ?? [], allInputs))
    return { text: before, change: 'unchanged' };
  if (present !== undefined && !same(present, wanted) && !replace) throw nameTaken(file, name);
  const gone = Object.keys(present ?? {}).filter((key) => !(key in wanted));
  const after = editor.edit(text, { root, name, old: present, entry, gone, inputs: newInputs(content.inputs, inputs) });
  const expected = {
    ...content,
    [root]: { ...fieldsOf(servers), [name]: wanted },
    ...(inputs.length === 0 ? {} : { inputs: allInputs }),
  };
  if (after === undefined || !holds(editor, after, expected))
    throw unusable(file, 'it is written in a way that cannot be changed here without harm', config);
  return { text: `${bom}${after}`, change: present === undefined ? 'added' : 'replaced' };
}

function parsed(editor: TextEditor, text: string, file: string, config: ClientConfig): unknown {
  try {
    return editor.parse(text);
  } catch (error) {
    throw unusable(file, `it is no ${config.language.toUpperCase()}`, config, error);
  }
}

function holds(editor: TextEditor, after: string, expected: Fields): boolean {
  try {
    return same(editor.parse(after), expected);
  } catch {
    // Not even readable any more: the edit is thrown away, and the caller says so.
    return false;
  }
}

function newInputs(there: unknown, inputs: ClientConfig['inputs']): ClientConfig['inputs'] {
  const known = Array.isArray(there) ? there.map((input: unknown) => fieldsOf(input)?.id) : [];
  return inputs.filter(({ id }) => !known.includes(id));
}

function withInputs(there: unknown, inputs: ClientConfig['inputs']): readonly unknown[] {
  return [...(Array.isArray(there) ? there : []), ...newInputs(there, inputs)];
}

/** Equal content; the order of keys says nothing. */
function same(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const fields = fieldsOf(value);
  if (fields !== undefined) {
    const keys = Object.keys(fields).sort();
    return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(fields[key])}`).join()}}`;
  }
  // Dates, and numbers that JSON does not have.
  return typeof value === 'string' ? JSON.stringify(value) : `${typeof value}:${String(value)}`;
}

function nameTaken(file: string, name: string): SkillwireError {
  const message = `"${file}" has another server named "${name}"; choose a name with --name, or change that one with --replace`;
  return new SkillwireError('USAGE', message, { data: { file, name } });
}

function unusable(file: string, why: string, { text }: ClientConfig, cause?: unknown): SkillwireError {
  const reason = cause instanceof Error ? ` (${cause.message.split('\n')[0]})` : '';
  const message = `"${file}" is left as it is: ${why}${reason}; add this by hand:\n\n${text}`;
  return new SkillwireError('HOST_FILE_UNUSABLE', message, { data: { file }, cause });
}
