/** What the index is given of a skill. */
export interface SearchDocument {
  readonly uri: string;
  /** The same for documents with the same text, and for no others. */
  readonly key: string;
  readonly name: string;
  readonly description: string;
  /** What its author says about when it is for. */
  readonly hints?: string;
  /** Of the body, where it is known. */
  readonly headings?: string;
  readonly body?: string;
}
