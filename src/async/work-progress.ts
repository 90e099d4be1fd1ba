/** How far a long piece of work is. The work reports it, and the caller shows it. */
export interface WorkProgress {
  /** Pieces that are done: skills or files. */
  readonly done: number;
  /** All pieces, if their number is known. */
  readonly of?: number;
  /** Bytes that were read or written so far. */
  readonly bytes?: number;
}
