/**
 * Every error that Skillwire raises on purpose has one of these codes. Only this table says what a code means and how
 * it leaves the process: exit code, HTTP status, JSON-RPC code.
 */

/** Exit codes of the command line. 3, 4, 7, 8 and 9 mean the same in the MCP Inspector. */
export const exitCodes = {
  ok: 0,
  findings: 1,
  failed: 2,
  notAuthorized: 3,
  unreachable: 4,
  refused: 5,
  partial: 6,
  verificationFailed: 7,
  incomplete: 8,
  unverifiable: 9,
  /** A decision is recorded, and not every replica has confirmed it. */
  unconfirmed: 10,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

interface ErrorRow {
  /** When the code is raised. */
  readonly meaning: string;
  readonly exit: ExitCode;
  readonly http: number;
  readonly rpc: number;
}

const invalidParams = -32602;
const internalError = -32603;

export const errorTable = {
  USAGE: { meaning: 'an argument or option is not allowed', exit: 2, http: 400, rpc: invalidParams },
  CONFIG_INVALID: { meaning: 'skillwire.json does not follow its schema', exit: 2, http: 500, rpc: internalError },
  CONFIG_NOT_FOUND: { meaning: 'the named configuration file does not exist', exit: 2, http: 500, rpc: internalError },
  CONFIG_UNREADABLE: { meaning: 'the configuration file exists but cannot be read', exit: 2, http: 500, rpc: internalError },
  ORIGIN_NOT_FOUND: { meaning: 'the named folder does not exist', exit: 2, http: 500, rpc: internalError },
  ORIGIN_NOT_A_FOLDER: { meaning: 'the named path is not a folder', exit: 2, http: 500, rpc: internalError },
  ORIGIN_UNREADABLE: { meaning: 'the folder exists but cannot be read', exit: 2, http: 500, rpc: internalError },
  ORIGIN_UNSUPPORTED: { meaning: 'this version cannot read this kind of origin', exit: 2, http: 400, rpc: invalidParams },
  ADDRESS_IN_USE: { meaning: 'another program is listening on the port', exit: 2, http: 500, rpc: internalError },
  ADDRESS_REFUSED: { meaning: 'the address cannot be used, or needs an explicit flag', exit: 2, http: 500, rpc: internalError },
  INVALID_URI: { meaning: 'the text is not a URI of a skill or of a file in one', exit: 2, http: 400, rpc: invalidParams },
  INVALID_CURSOR: { meaning: 'the cursor was not made by this server', exit: 2, http: 400, rpc: invalidParams },
  INVALID_SKILL: { meaning: 'a skill defined in code breaks the rules for skills', exit: 2, http: 500, rpc: internalError },
  SKILL_NOT_FOUND: { meaning: 'no skill is served at the URI', exit: 2, http: 404, rpc: invalidParams },
  FILE_NOT_FOUND: { meaning: 'no file of a served skill has the URI', exit: 2, http: 404, rpc: invalidParams },
  DIRECTORY_NOT_FOUND: { meaning: 'the URI is not a directory of the served skills', exit: 2, http: 404, rpc: invalidParams },
  FILE_UNREADABLE: { meaning: 'a file of a served skill cannot be read at the moment', exit: 2, http: 503, rpc: internalError },
  UNSTABLE: { meaning: 'a file kept changing while it was read', exit: 2, http: 503, rpc: internalError },
  LIMIT_EXCEEDED: { meaning: 'an input is larger than its limit', exit: 2, http: 413, rpc: invalidParams },
  CLOSED: { meaning: 'the object was used after it was closed', exit: 2, http: 503, rpc: internalError },
  GENERATOR_FAILED: { meaning: 'the function that generates a dynamic skill threw, or did not return text', exit: 2, http: 500, rpc: internalError },
  NOT_AUTHORIZED: { meaning: 'the origin requires credentials, or rejects the ones it got', exit: 3, http: 502, rpc: internalError },
  UNREACHABLE: { meaning: 'the origin cannot be reached, or the connection broke', exit: 4, http: 502, rpc: internalError },
  TIMED_OUT: { meaning: 'the origin did not answer within the deadline', exit: 4, http: 504, rpc: internalError },
  RECONNECTING: { meaning: 'the live program of a skill is reconnecting to its hub', exit: 4, http: 503, rpc: internalError },
  NO_SKILLS_EXTENSION: { meaning: 'the origin answers, but does not advertise skills', exit: 2, http: 502, rpc: internalError },
  BAD_ANSWER: { meaning: 'the answer of the origin breaks its protocol', exit: 2, http: 502, rpc: internalError },
  ORIGIN_FAILED: { meaning: 'the origin answered with an error', exit: 2, http: 502, rpc: internalError },
  NO_INDEX: { meaning: 'the site answers, but publishes no skills index', exit: 2, http: 502, rpc: internalError },
  NOT_AN_INDEX: { meaning: 'the site answered with something other than its index, for example a login page', exit: 2, http: 502, rpc: internalError },
  INDEX_UNSUPPORTED: { meaning: 'the index of the site has a format that this version does not know', exit: 2, http: 502, rpc: internalError },
  ORIGIN_MOVED: { meaning: 'the origin now redirects to another address than before', exit: 5, http: 502, rpc: internalError },
  ADDRESS_BLOCKED: { meaning: 'the address may not be fetched: its scheme, its host, or the target of a redirect', exit: 5, http: 502, rpc: invalidParams },
  AMBIGUOUS_SKILL: { meaning: 'the name matches more than one skill', exit: 2, http: 400, rpc: invalidParams },
  SKILL_DISABLED: { meaning: 'the skill or its origin is disabled', exit: 5, http: 403, rpc: invalidParams },
  NOT_APPROVED: { meaning: 'the current version of the skill, or what it asks for, is not approved', exit: 5, http: 403, rpc: invalidParams },
  REFUSED_BY_POLICY: { meaning: 'a policy does not accept the skill, even if its bytes verify', exit: 5, http: 403, rpc: invalidParams },
  SIGNER_CHANGED: { meaning: 'the skill is signed by another signer than before, or no longer', exit: 5, http: 403, rpc: invalidParams },
  NOT_TRUSTED: { meaning: 'a file that came with a folder would act for the user, who has not trusted it', exit: 5, http: 403, rpc: internalError },
  WINDOW_CLOSED: { meaning: 'the skill of the requested file is not loaded, or was released', exit: 2, http: 409, rpc: invalidParams },
  STATE_UNUSABLE: { meaning: 'the state folder cannot be used: permissions, disk, or a folder that agents read skills from', exit: 2, http: 500, rpc: internalError },
  STATE_LOCKED: { meaning: 'another process has locked the state', exit: 2, http: 503, rpc: internalError },
  STORE_AWAY: { meaning: 'the shared store cannot be reached', exit: 4, http: 503, rpc: internalError },
  INTERRUPTED: { meaning: 'the caller canceled', exit: 130, http: 499, rpc: internalError },
  ARCHIVE_FORMAT: { meaning: 'the bytes are not a tar.gz or zip archive, or not the declared kind', exit: 2, http: 502, rpc: internalError },
  ARCHIVE_TRUNCATED: { meaning: 'an archive is truncated', exit: 2, http: 502, rpc: internalError },
  ARCHIVE_EMPTY: { meaning: 'an archive has no files', exit: 2, http: 502, rpc: internalError },
  ARCHIVE_CORRUPT: { meaning: 'a checksum, size or header of an archive is wrong', exit: 2, http: 502, rpc: internalError },
  ARCHIVE_AMBIGUOUS: { meaning: 'two readers could read the archive differently', exit: 2, http: 502, rpc: internalError },
  ARCHIVE_PATH_ESCAPE: { meaning: 'a path in an archive leaves its folder, or would on some systems', exit: 5, http: 502, rpc: internalError },
  ARCHIVE_NAME: { meaning: 'a file name in an archive is not valid on every system, or looks like another name', exit: 5, http: 502, rpc: internalError },
  ARCHIVE_NAME_COLLISION: { meaning: 'two entries of an archive would be the same file on some systems', exit: 5, http: 502, rpc: internalError },
  ARCHIVE_LINK: { meaning: 'a link in an archive does not lead to a regular file inside it', exit: 5, http: 502, rpc: internalError },
  ARCHIVE_ENTRY_TYPE: { meaning: 'an archive entry is not a file, folder or link, or is encrypted or packed in an unusual way', exit: 5, http: 502, rpc: internalError },
  ARCHIVE_TOO_LARGE: { meaning: 'an archive exceeds its limit of bytes or entries, packed or unpacked', exit: 5, http: 502, rpc: internalError },
  ARCHIVE_LAYOUT: { meaning: 'the archive of a skill has no SKILL.md at its root', exit: 2, http: 502, rpc: internalError },
  WRITE_FAILED: { meaning: 'files cannot be written: permissions, space, or existing files', exit: 2, http: 500, rpc: internalError },
  LOCK_NOT_FOUND: { meaning: 'there is no skillwire.lock to install from', exit: 2, http: 500, rpc: internalError },
  LOCK_INVALID: { meaning: 'skillwire.lock exists but cannot be read or understood', exit: 2, http: 500, rpc: internalError },
  NAME_TAKEN: { meaning: 'a skill would replace or hide another one', exit: 5, http: 409, rpc: invalidParams },
  EDITED: { meaning: 'installed files differ from the lock file, and no option says what to do with them', exit: 1, http: 409, rpc: invalidParams },
  GIT_UNUSABLE: { meaning: 'the git program is missing or does not support what is needed', exit: 2, http: 500, rpc: internalError },
  HOST_FILE_UNUSABLE: { meaning: 'the configuration file of a client cannot be read, or not edited safely', exit: 2, http: 500, rpc: internalError },
  VERIFICATION_FAILED: { meaning: 'the bytes do not have the promised digest or size', exit: 7, http: 502, rpc: internalError },
} as const satisfies Record<string, ErrorRow>;

/** The code of a `SkillwireError`. The exit code, HTTP status and JSON-RPC code follow from it. */
export type ErrorCode = keyof typeof errorTable;

export interface ErrorOptions {
  /** Details for programs: the URI, the path, the limit and the actual value. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** The one error class of Skillwire. `message` says what happened and what to do. */
export class SkillwireError extends Error {
  readonly code: ErrorCode;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'SkillwireError';
    this.code = code;
    this.data = options.data ?? {};
  }

  get exitCode(): ExitCode {
    return errorTable[this.code].exit;
  }

  get httpStatus(): number {
    return errorTable[this.code].http;
  }

  get rpcCode(): number {
    return errorTable[this.code].rpc;
  }
}

/**
 * Why bytes failed verification.
 *
 * - `size`, `digest`: the bytes differ from the entry.
 * - `frontmatter`: the fields of the file differ from the entry.
 * - `unlisted`: the entry does not list the file.
 * - `contents`: the answer is not exactly one file with this URI.
 * - `missing`: the origin does not serve a file of the entry.
 * - `limit`: there are more bytes than a skill may have.
 */
export type VerificationReason = 'size' | 'digest' | 'frontmatter' | 'unlisted' | 'contents' | 'missing' | 'limit';

/** The bytes fail verification: they differ from what the entry promised. */
export class VerificationError extends SkillwireError {
  readonly reason: VerificationReason;

  constructor(reason: VerificationReason, message: string, options: ErrorOptions = {}) {
    super('VERIFICATION_FAILED', message, { ...options, data: { reason, ...options.data } });
    this.name = 'VerificationError';
    this.reason = reason;
  }
}

/** The bytes verify but are not accepted: not approved, denied by a policy, or disabled. */
export class PolicyError extends SkillwireError {
  constructor(code: 'NOT_APPROVED' | 'REFUSED_BY_POLICY' | 'SKILL_DISABLED' | 'SIGNER_CHANGED', message: string, options: ErrorOptions = {}) {
    super(code, message, options);
    this.name = 'PolicyError';
  }
}

/**
 * True if an origin answered that the file does not exist, or sent no usable file. False if its bytes differ from what
 * was promised.
 */
export function isLostFile(error: unknown): error is SkillwireError {
  if (error instanceof VerificationError) return error.reason === 'contents';
  return error instanceof SkillwireError && ['FILE_NOT_FOUND', 'ORIGIN_FAILED', 'BAD_ANSWER'].includes(error.code);
}

/** Advice about failures of the system that can strike anywhere, by code. */
export const systemAdvice: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; free some space',
  EDQUOT: 'your quota is used up; free some space',
  EMFILE: 'this process has too many files open; raise the limit, for example with "ulimit -n 4096"',
  ENFILE: 'the system has too many files open; close some programs',
  EIO: 'the disk reported an error; check the disk and your backups',
};

/** The code of a failed call of the system, for example `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as Error & { readonly code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** The message of whatever was thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
