/** The editor of one language. `client-edit.ts` decides what to change and verifies the result. */
import type { ClientConfig } from './client-config.ts';
import type { ClientEntry } from './mcp-server.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A change of one server's entry. */
export interface ClientEntryChange {
  readonly root: string;
  readonly name: string;
  /** The current entry, if there is one. */
  readonly old: Fields | undefined;
  /** The new entry. */
  readonly entry: ClientEntry;
  /** Keys of the old entry to remove. */
  readonly gone: readonly string[];
  readonly inputs: ClientConfig['inputs'];
}

export interface TextEditor {
  /** The whole content. @throws Error if the text is not of that language */
  parse(text: string): unknown;
  /** `undefined` if the editor cannot change a text of this form. */
  edit(text: string, change: ClientEntryChange): string | undefined;
}

export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
    ? (value as Fields)
    : undefined;
}
