/** Turns failures of PostgreSQL and of the network into errors that name the remedy. Passwords never appear in them. */
import { SkillwireError } from '../../errors.ts';
import { displayText } from '../../skill/display-text.ts';

/** Conditions that a person must change, by SQLSTATE. */
const remedies: Readonly<Record<string, readonly [what: string, remedy: string]>> = {
  '28P01': ['it rejects the password', 'Correct the user and the password in the URL of "store".'],
  '28000': ['it rejects the user', 'Correct the user in the URL of "store", or allow it in pg_hba.conf.'],
  '3D000': ['the database does not exist', 'Create it, or correct its name in the URL of "store".'],
  '42501': ['the user lacks a privilege', 'Grant the user CREATE on the database, or ownership of the schema.'],
  '25006': ['it is read-only, such as a standby', 'Use the address of the primary server.'],
  '53100': ['its disk is full', 'Free disk space on the database server.'],
  '42P01': ['a table of the cluster is missing', 'Restore the schema from a backup.'],
  '3F000': ['the schema of the cluster is missing', 'Restore the schema from a backup.'],
  '42703': ['a column of the cluster is missing', 'Restore the schema from a backup.'],
};

/** SQLSTATEs that pass: connections, resources, an operator who stops the server, a lock of another process. */
const passing = /^(?:08|40|53|57|55P03)/;

const networkCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  'ECONNABORTED',
]);

/** The driver has no codes for these. */
const driverMessages =
  /Connection terminated|timeout|Client has encountered a connection error|not queryable|Connection ended/i;

export function codeIn(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/**
 * @param place the server without credentials
 * @param passes the code of the error, for a condition that may pass without a person
 */
export function postgresFailure(error: unknown, place: string, passes?: 'STORE_AWAY'): unknown {
  if (error instanceof SkillwireError || !(error instanceof Error)) return error;
  const code = codeIn(error);
  const known = remedies[code];
  if (known !== undefined) {
    const [what, remedy] = known;
    return new SkillwireError(passes ?? 'STATE_UNUSABLE', `PostgreSQL at ${place}: ${what}. ${remedy}`, {
      data: { place, sqlState: code },
      cause: error,
    });
  }
  const reason = displayText(error.message);
  if (networkCodes.has(code) || passing.test(code) || driverMessages.test(error.message)) {
    return new SkillwireError(
      'STORE_AWAY',
      `PostgreSQL at ${place} cannot be reached (${reason || code}). Check the server and the address in "store".`,
      { data: { place, ...(code === '' ? {} : { reason: code }) }, cause: error },
    );
  }
  return new SkillwireError('STATE_UNUSABLE', `PostgreSQL at ${place} failed: ${reason}. Check its log.`, {
    data: { place, ...(code === '' ? {} : { sqlState: code }) },
    cause: error,
  });
}
