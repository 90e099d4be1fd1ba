/** What an editor of one language does to the text of a host's file: `host-edit.ts` decides what, and proves the result. */
import type { ClientConfig } from './client-config.ts';
import type { ClientEntry } from './mcp-server.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** What is to be done to a text; `undefined` from a language means that its editor does not know how. */
export interface EntryChange {
  readonly root: string;
  readonly name: string;
  /** The entry as it is now, where there is one. */
  readonly old: Fields | undefined;
  /** What the entry shall be. */
  readonly entry: ClientEntry;
  /** Keys of the old entry that go. */
  readonly gone: readonly string[];
  readonly inputs: ClientConfig['inputs'];
}

export interface TextEditor {
  /** The whole content. @throws Error where the text is not of that language */
  parse(text: string): unknown;
  /** Undefined: this text has a form that the editor does not change. */
  edit(text: string, change: EntryChange): string | undefined;
}

export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
    ? (value as Fields)
    : undefined;
}
