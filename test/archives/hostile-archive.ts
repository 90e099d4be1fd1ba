/** An archive that must be refused, and by which code. Rows are those of the security requirements. */
import type { ErrorCode } from '../../src/errors.ts';

export interface HostileArchive {
  /** Of the requirement: `A-1` to `A-16`. */
  readonly row: string;
  /** The fault of the archive. */
  readonly what: string;
  readonly code: ErrorCode;
  readonly make: () => Uint8Array;
}
