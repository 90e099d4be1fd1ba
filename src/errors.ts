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
  VERIFICATION_FAILED: { meaning: 'bytes do not have the digest or size that was promised', exit: 7, http: 502, rpc: internalError },
} as const satisfies Record<string, ErrorRow>;

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

/** The bytes do not hold: what arrived is not what the entry promised. */
export class VerificationError extends SkillwireError {
  constructor(message: string, options: ErrorOptions = {}) {
    super('VERIFICATION_FAILED', message, options);
    this.name = 'VerificationError';
  }
}
