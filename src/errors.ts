/**
 * Every error that Skillwire raises on purpose has one of these codes. The table is the only place that says what a code
 * means and how it leaves the process: as an exit code, an HTTP status or a JSON-RPC code.
 */

/** Exit codes of the command line. 3, 4, 7, 8 and 9 mean what they mean in the MCP Inspector. */
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
  USAGE: { meaning: 'the caller gave an argument or option that is not allowed', exit: 2, http: 400, rpc: invalidParams },
  CONFIG_INVALID: { meaning: 'skillwire.json does not follow its schema', exit: 2, http: 500, rpc: internalError },
  CONFIG_NOT_FOUND: { meaning: 'the configuration file that was named does not exist', exit: 2, http: 500, rpc: internalError },
  CONFIG_UNREADABLE: { meaning: 'the configuration file exists but cannot be read', exit: 2, http: 500, rpc: internalError },
  ORIGIN_NOT_FOUND: { meaning: 'the folder that was named does not exist', exit: 2, http: 500, rpc: internalError },
  ORIGIN_NOT_A_FOLDER: { meaning: 'a file or something else was named where a folder is needed', exit: 2, http: 500, rpc: internalError },
  ORIGIN_UNREADABLE: { meaning: 'the folder exists but may not be read', exit: 2, http: 500, rpc: internalError },
  ORIGIN_UNSUPPORTED: { meaning: 'the origin is of a kind that this version does not read', exit: 2, http: 400, rpc: invalidParams },
  ADDRESS_IN_USE: { meaning: 'another program listens on the port', exit: 2, http: 500, rpc: internalError },
  ADDRESS_REFUSED: { meaning: 'the address cannot be listened on, or not without an explicit flag', exit: 2, http: 500, rpc: internalError },
  INVALID_URI: { meaning: 'the text is not a URI that could name a skill or one of its files', exit: 2, http: 400, rpc: invalidParams },
  INVALID_CURSOR: { meaning: 'the cursor was not made by this server', exit: 2, http: 400, rpc: invalidParams },
  INVALID_SKILL: { meaning: 'a skill given in code breaks the rules for skills', exit: 2, http: 500, rpc: internalError },
  SKILL_NOT_FOUND: { meaning: 'no skill is served at the URI', exit: 2, http: 404, rpc: invalidParams },
  FILE_NOT_FOUND: { meaning: 'no file of a served skill has the URI', exit: 2, http: 404, rpc: invalidParams },
  DIRECTORY_NOT_FOUND: { meaning: 'the URI is not a directory of the served skills', exit: 2, http: 404, rpc: invalidParams },
  UNSTABLE: { meaning: 'a file changed again and again while it was being read', exit: 2, http: 503, rpc: internalError },
  LIMIT_EXCEEDED: { meaning: 'an input is larger than its limit', exit: 2, http: 413, rpc: invalidParams },
  CLOSED: { meaning: 'the object was used after it was closed', exit: 2, http: 503, rpc: internalError },
  GENERATOR_FAILED: { meaning: 'the function that generates a dynamic skill threw or returned something else than text', exit: 2, http: 500, rpc: internalError },
  NOT_AUTHORIZED: { meaning: 'the origin wants credentials, or does not accept the ones it was given', exit: 3, http: 502, rpc: internalError },
  UNREACHABLE: { meaning: 'the origin cannot be connected to, or the connection broke', exit: 4, http: 502, rpc: internalError },
  TIMED_OUT: { meaning: 'the origin did not answer within the deadline', exit: 4, http: 504, rpc: internalError },
  NO_SKILLS_EXTENSION: { meaning: 'the origin answers, but does not declare that it serves skills', exit: 2, http: 502, rpc: internalError },
  BAD_ANSWER: { meaning: 'the origin answered something that its protocol does not allow', exit: 2, http: 502, rpc: internalError },
  ORIGIN_FAILED: { meaning: 'the origin answered with an error of its own', exit: 2, http: 502, rpc: internalError },
  NO_INDEX: { meaning: 'the site answers, but publishes no index of skills', exit: 2, http: 502, rpc: internalError },
  NOT_AN_INDEX: { meaning: 'a page or something else came instead of the index of a site, for example a login page', exit: 2, http: 502, rpc: internalError },
  INDEX_UNSUPPORTED: { meaning: 'the index of the site says that it has a form that this version does not know', exit: 2, http: 502, rpc: internalError },
  ORIGIN_MOVED: { meaning: 'the origin begins to redirect to another one than before', exit: 5, http: 502, rpc: internalError },
  ADDRESS_BLOCKED: { meaning: 'the address may not be fetched: its scheme, its host or where it leads', exit: 5, http: 502, rpc: invalidParams },
  AMBIGUOUS_SKILL: { meaning: 'the name fits more than one skill', exit: 2, http: 400, rpc: invalidParams },
  SKILL_DISABLED: { meaning: 'the skill or its origin is disabled', exit: 5, http: 403, rpc: invalidParams },
  NOT_APPROVED: { meaning: 'nobody has approved the skill as it is now, or what it asks for', exit: 5, http: 403, rpc: invalidParams },
  REFUSED_BY_POLICY: { meaning: 'the bytes may hold, but a policy does not accept the skill', exit: 5, http: 403, rpc: invalidParams },
  NOT_TRUSTED: { meaning: 'a file that came with a folder would act for the user, who has not accepted that', exit: 5, http: 403, rpc: internalError },
  WINDOW_CLOSED: { meaning: 'a file of a skill was asked for that is not loaded, or no longer', exit: 2, http: 409, rpc: invalidParams },
  STATE_UNUSABLE: { meaning: 'the folder of the state cannot be used: permissions, disk, or a place where agents look for skills', exit: 2, http: 500, rpc: internalError },
  STATE_LOCKED: { meaning: 'another process keeps the state locked', exit: 2, http: 503, rpc: internalError },
  INTERRUPTED: { meaning: 'the caller gave up', exit: 130, http: 499, rpc: internalError },
  ARCHIVE_FORMAT: { meaning: 'the bytes are no tar.gz or zip archive, or another one than was said', exit: 2, http: 502, rpc: internalError },
  ARCHIVE_TRUNCATED: { meaning: 'an archive ends before its end', exit: 2, http: 502, rpc: internalError },
  ARCHIVE_EMPTY: { meaning: 'an archive holds no file', exit: 2, http: 502, rpc: internalError },
  ARCHIVE_CORRUPT: { meaning: 'a checksum, size or header of an archive is wrong', exit: 2, http: 502, rpc: internalError },
  ARCHIVE_AMBIGUOUS: { meaning: 'an archive that two readers would read in two ways', exit: 2, http: 502, rpc: internalError },
  ARCHIVE_PATH_ESCAPE: { meaning: 'a path in an archive leads out of its folder, or would on some system', exit: 5, http: 502, rpc: internalError },
  ARCHIVE_NAME: { meaning: 'a name that cannot be a file everywhere, or that looks like another', exit: 5, http: 502, rpc: internalError },
  ARCHIVE_NAME_COLLISION: { meaning: 'two entries of an archive would be one file on some system', exit: 5, http: 502, rpc: internalError },
  ARCHIVE_LINK: { meaning: 'a link in an archive that leads to no regular file inside it', exit: 5, http: 502, rpc: internalError },
  ARCHIVE_ENTRY_TYPE: { meaning: 'an entry of an archive that is neither file, folder nor link, or is encrypted or packed in an unusual way', exit: 5, http: 502, rpc: internalError },
  ARCHIVE_TOO_LARGE: { meaning: 'an archive has more bytes or entries than its limit, packed or unpacked', exit: 5, http: 502, rpc: internalError },
  ARCHIVE_LAYOUT: { meaning: 'an archive of a skill that has no SKILL.md at its root', exit: 2, http: 502, rpc: internalError },
  WRITE_FAILED: { meaning: 'files cannot be written: permissions, space, or something is there already', exit: 2, http: 500, rpc: internalError },
  LOCK_INVALID: { meaning: 'skillwire.lock is there but cannot be read or understood', exit: 2, http: 500, rpc: internalError },
  NAME_TAKEN: { meaning: 'a skill would take the place of another one, or hide it', exit: 5, http: 409, rpc: invalidParams },
  EDITED: { meaning: 'installed files are not what the lock file says, and nobody said what to do with them', exit: 1, http: 409, rpc: invalidParams },
  GIT_UNUSABLE: { meaning: 'the program git is missing or does not do what is needed', exit: 2, http: 500, rpc: internalError },
  HOST_FILE_UNUSABLE: { meaning: 'the configuration file of a host cannot be read, or not be changed without harm', exit: 2, http: 500, rpc: internalError },
  VERIFICATION_FAILED: { meaning: 'bytes do not have the digest or size that was promised', exit: 7, http: 502, rpc: internalError },
} as const satisfies Record<string, ErrorRow>;

/** The code of a `SkillwireError`; exit code, HTTP status and JSON-RPC code follow from it. */
export type ErrorCode = keyof typeof errorTable;

export interface ErrorOptions {
  /** Facts a program may want: the URI, the path, the limit and the actual value. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** The one error class of Skillwire. `message` names the action, the state and what to do. */
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
 * Why bytes failed verification. `size`, `digest`: the bytes are not those of the entry. `frontmatter`: the fields of the file are
 * not those of the entry. `unlisted`: the file is not in the entry. `contents`: the answer is not one file with this URI.
 * `missing`: a file of the entry is not served. `limit`: more bytes than a skill may have.
 */
export type VerificationReason = 'size' | 'digest' | 'frontmatter' | 'unlisted' | 'contents' | 'missing' | 'limit';

/** The bytes do not hold: what arrived is not what the entry promised. */
export class VerificationError extends SkillwireError {
  readonly reason: VerificationReason;

  constructor(reason: VerificationReason, message: string, options: ErrorOptions = {}) {
    super('VERIFICATION_FAILED', message, { ...options, data: { reason, ...options.data } });
    this.name = 'VerificationError';
    this.reason = reason;
  }
}

/** The bytes hold, but they are not accepted: not approved, refused by a policy, or disabled. */
export class PolicyError extends SkillwireError {
  constructor(code: 'NOT_APPROVED' | 'REFUSED_BY_POLICY' | 'SKILL_DISABLED', message: string, options: ErrorOptions = {}) {
    super(code, message, options);
    this.name = 'PolicyError';
  }
}

/** Whether an origin answered that it has no such file, or sent nothing that could be one. Other bytes than promised are no such case. */
export function isLostFile(error: unknown): error is SkillwireError {
  if (error instanceof VerificationError) return error.reason === 'contents';
  return error instanceof SkillwireError && ['FILE_NOT_FOUND', 'ORIGIN_FAILED', 'BAD_ANSWER'].includes(error.code);
}
