/**
 * Adds one server to the text of a client's configuration file. Everything else stays the same to the byte: other servers, unknown keys,
 * comments, order, indentation. Each language has a small text editor. A parser reads the result back, which counts only if it is the old
 * content plus exactly this entry. Pure: reads and writes no file.
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
  /** Keys of an entry that may be removed. The person added others, and they stay. */
  readonly own: readonly string[];
  /** Change an existing entry of this name. */
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
 * @param before empty if there is no file yet
 * @throws SkillwireError HOST_FILE_UNUSABLE if the text cannot be changed safely; USAGE if another server has the name
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
  if (content === undefined) throw unusable(file, 'it is not a table of settings', config);
  const servers = content[root] ?? {};
  const old = fieldsOf(servers)?.[name];
  if (fieldsOf(servers) === undefined || (old !== undefined && old !== null && fieldsOf(old) === undefined))
    throw unusable(file, `"${root}" in it has the wrong type`, config);
  const present = fieldsOf(old ?? undefined);
  const foreign = Object.entries(present ?? {}).filter(([key]) => !own.includes(key));
  const wanted: Fields = { ...Object.fromEntries(foreign), ...entry };
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
  if (after === undefined || !parsesTo(editor, after, expected))
    throw unusable(file, 'its form cannot be edited safely', config);
  return { text: `${bom}${after}`, change: present === undefined ? 'added' : 'replaced' };
}

function parsed(editor: TextEditor, text: string, file: string, config: ClientConfig): unknown {
  try {
    return editor.parse(text);
  } catch (error) {
    throw unusable(file, `it is not ${config.language.toUpperCase()}`, config, error);
  }
}

function parsesTo(editor: TextEditor, after: string, expected: Fields): boolean {
  try {
    return same(editor.parse(after), expected);
  } catch {
    // The edit broke the file; the caller reports it.
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

/** Equal content, in any order of keys. */
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
  const message = `"${file}" has another server named "${name}". Choose another --name, or use --replace.`;
  return new SkillwireError('USAGE', message, { data: { file, name } });
}

function unusable(file: string, why: string, { text }: ClientConfig, cause?: unknown): SkillwireError {
  const reason = cause instanceof Error ? ` (${cause.message.split('\n')[0]})` : '';
  const message = `"${file}" was not changed: ${why}${reason}. Add this by hand:\n\n${text}`;
  return new SkillwireError('HOST_FILE_UNUSABLE', message, { data: { file }, cause });
}
