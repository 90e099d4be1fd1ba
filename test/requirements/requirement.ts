/** Statements of a specification as data. Tests cite them by id; `coverage.test.ts` fails on one that no test cites. */
export interface Requirement {
  readonly id: string;
  readonly strength: 'MUST' | 'MUST NOT' | 'SHOULD' | 'SHOULD NOT' | 'MAY' | 'defines';
  readonly text: string;
  /** Why no program can test it, or why it does not apply to us. */
  readonly advice?: string;
}
