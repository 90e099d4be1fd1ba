/**
 * One misbehavior: a public row and a script. The row describes what the server does and how a careful client reacts;
 * the script makes the server do it. Scripts are plain functions over calls and answers, without sockets.
 */
import type { Era } from '../../dialects/era.ts';
import type { JsonObject } from '../../skill/json.ts';
import { refundsUri, type ServedSkill } from './served-skill.ts';

export type MisbehaviorKind = 'content' | 'entry' | 'listing' | 'transport' | 'unicode' | 'instructions';

/**
 * The reaction of a careful client.
 *
 * - `accept`: it is unusual but allowed, so everything works.
 * - `refuse`: the affected item is not used, and the reason is reported.
 * - `ask-again`: it is used only after a person has approved the new version.
 * - `inert`: it may be loaded, but what it asks for does not happen.
 * - `isolate`: the bad item is left out and reported; all others stay.
 * - `bounded`: the client stops it with its own limit, in bytes, pages or time.
 * - `shown-escaped`: it may be shown, but only with hidden and control characters made visible.
 */
export type ExpectedReaction = 'accept' | 'refuse' | 'ask-again' | 'inert' | 'isolate' | 'bounded' | 'shown-escaped';

/** When a client encounters it. `again` is a load or a file read after `advance()`. */
export type MisbehaviorStage = 'connect' | 'list' | 'get' | 'load' | 'file' | 'directory' | 'again';

export type MisbehavingTransport = 'http' | 'stdio-script';

/** One thing that a server does wrong, and how a careful client reacts. */
export interface Misbehavior {
  readonly id: string;
  /** The action of the server, in one sentence. */
  readonly title: string;
  readonly kind: MisbehaviorKind;
  readonly expected: ExpectedReaction;
  readonly stage: MisbehaviorStage;
  /**
   * The requirements (`H-29`, `sec:C-1`) and fixtures of the public adversarial set (`adv-file-url`) that it exercises.
   */
  readonly requirements: readonly string[];
  /** The reaction of a careful client, in one sentence. */
  readonly what: string;
  /** URI of the affected `SKILL.md`. */
  readonly target: string;
  /** The file of the target to read if `stage` is `file` or `again`; the directory if it is `directory`. */
  readonly at?: string;
  /** Transports that can show it. */
  readonly transports: readonly MisbehavingTransport[];
}

export type Chunk = string | Uint8Array;
export type Chunks = () => Iterable<Chunk> | AsyncIterable<Chunk>;

export interface Call {
  readonly id: string | number;
  readonly method: string;
  readonly params: JsonObject;
  readonly era: Era;
  /** How often `advance()` was called. */
  readonly turn: number;
  /** The number of earlier calls with the same method, URI and cursor. */
  readonly earlier: number;
  /** The address of the server; `elsewhere` is the same server under another host name. */
  readonly url: string;
  readonly elsewhere: string;
  /** True if the call came to the other host name. */
  readonly redirected: boolean;
}

/**
 * An answer in one of these forms:
 *
 * - `raw`: the text of one message, unchecked.
 * - `messages`: several messages; events over HTTP, lines over stdio.
 * - `drip`: an answer sent piece by piece.
 * - `cut`: an answer whose connection ends after some bytes.
 * - `silence`: no answer.
 * - `http`: a whole HTTP answer.
 */
export type Answer =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | {
      readonly kind: 'error';
      readonly code: number;
      readonly message: string;
      readonly data?: unknown;
      /** HTTP status, if it is not the usual one for the code. */
      readonly status?: number;
    }
  | { readonly kind: 'raw'; readonly chunks: Chunks }
  | { readonly kind: 'messages'; readonly messages: Chunks }
  | { readonly kind: 'drip'; readonly answer: Answer; readonly bytes: number; readonly everyMs: number }
  | { readonly kind: 'cut'; readonly answer: Answer; readonly afterBytes: number }
  | { readonly kind: 'silence' }
  | {
      readonly kind: 'http';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Chunks;
    };

/** The server's description of itself. */
export interface ServerIdentity {
  readonly serverInfo: JsonObject;
  readonly instructions?: string;
  /** `capabilities` as declared in both eras. */
  readonly capabilities: JsonObject;
}

export interface Script {
  /** The skills served at a turn, instead of the base skills. */
  readonly skills?: (turn: number) => readonly ServedSkill[];
  readonly identity?: (usual: ServerIdentity) => ServerIdentity;
  /** Answers one call; `usual` returns the base server's answer. */
  readonly answer?: (call: Call, usual: () => Answer) => Answer;
  /** JavaScript that the child process also runs, over stdio. */
  readonly child?: string;
}

export interface Behavior extends Misbehavior {
  readonly script: Script;
}

type Draft = Omit<Behavior, 'id' | 'kind' | 'target' | 'transports'> & {
  readonly target?: string;
  readonly transports?: readonly MisbehavingTransport[];
};

/** Rows of one kind, by id. */
export function behaviors(kind: MisbehaviorKind, drafts: Readonly<Record<string, Draft>>): readonly Behavior[] {
  return Object.entries(drafts).map(([id, draft]) => ({
    target: refundsUri,
    transports: ['http', 'stdio-script'],
    ...draft,
    id,
    kind,
  }));
}
