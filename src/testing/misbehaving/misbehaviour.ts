/**
 * What one misbehaviour is: a public row that says what the server does and how a careful client reacts, and the script that
 * makes the server do it. Scripts are plain functions over calls and answers; they know no socket.
 */
import { type JsonObject, refundsUri, type ServedSkill } from './served-skill.ts';

export type MisbehaviourKind = 'content' | 'entry' | 'listing' | 'transport' | 'unicode' | 'instructions';

/**
 * How a careful client reacts. `accept`: it is odd and allowed, so everything works. `refuse`: what the row is about is not
 * used, and the reason is told. `ask-again`: it is used only after a person has approved it as it now is. `inert`: it may be
 * loaded, but what it asks for does not happen. `isolate`: the bad item is left out and reported, all others stay.
 * `bounded`: the client ends it by a limit of its own, in bytes, pages or time. `shown-escaped`: it may be shown, but only with
 * hidden and control characters made visible.
 */
export type ExpectedReaction = 'accept' | 'refuse' | 'ask-again' | 'inert' | 'isolate' | 'bounded' | 'shown-escaped';

/** When a client meets it; `again` is a load, or a file, after the server was told to `advance()`. */
export type MeetingPoint = 'connect' | 'list' | 'get' | 'load' | 'file' | 'directory' | 'again';

export type MisbehavingTransport = 'http' | 'stdio-script';

/** One thing that a server does wrong, and how a careful host reacts. */
export interface Misbehaviour {
  readonly id: string;
  /** What the server does, in one sentence. */
  readonly title: string;
  readonly kind: MisbehaviourKind;
  readonly expected: ExpectedReaction;
  readonly meets: MeetingPoint;
  /** Requirements (`H-29`, `sec:C-1`) and fixtures of the public adversarial set (`adv-file-url`) that it exercises. */
  readonly requirements: readonly string[];
  /** What a careful client does, in one sentence. */
  readonly what: string;
  /** URI of the `SKILL.md` that it is about. */
  readonly target: string;
  /** The file of the target to read, where `meets` is `file` or `again`; the directory, where it is `directory`. */
  readonly at?: string;
  /** Transports on which it can be shown. */
  readonly transports: readonly MisbehavingTransport[];
}

export type Era = 'modern' | 'legacy';

export type Chunk = string | Uint8Array;
export type Chunks = () => Iterable<Chunk> | AsyncIterable<Chunk>;

export interface Call {
  readonly id: string | number;
  readonly method: string;
  readonly params: JsonObject;
  readonly era: Era;
  /** How often the server was told to advance. */
  readonly turn: number;
  /** Calls with the same method, URI and cursor before this one. */
  readonly earlier: number;
  /** Where the server listens; the same server under another host name is at `elsewhere`. */
  readonly url: string;
  readonly elsewhere: string;
  /** True where the call came to the other host name. */
  readonly redirected: boolean;
}

/**
 * `raw` is the text of one message, unchecked. `messages` are several of them: events over HTTP, lines over stdio. `drip` sends an
 * answer piece by piece, `cut` ends the connection after so many bytes of it, `silence` never answers. `http` is a whole HTTP answer.
 */
export type Answer =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | {
      readonly kind: 'error';
      readonly code: number;
      readonly message: string;
      readonly data?: unknown;
      /** HTTP status, where it is not the usual one of the code. */
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

/** What the server says about itself. */
export interface Identity {
  readonly serverInfo: JsonObject;
  readonly instructions?: string;
  /** `capabilities` as declared in both eras. */
  readonly capabilities: JsonObject;
}

export interface Script {
  /** What is served at a turn, instead of the base skills. */
  readonly skills?: (turn: number) => readonly ServedSkill[];
  readonly identity?: (usual: Identity) => Identity;
  /** Answers one call; `usual` is what the base server would say. */
  readonly answer?: (call: Call, usual: () => Answer) => Answer;
  /** JavaScript that the child process runs as well, over stdio. */
  readonly child?: string;
}

export interface Behaviour extends Misbehaviour {
  readonly script: Script;
}

type Draft = Omit<Behaviour, 'id' | 'kind' | 'target' | 'transports'> & {
  readonly target?: string;
  readonly transports?: readonly MisbehavingTransport[];
};

/** Rows of one kind, by id. */
export function behaviours(kind: MisbehaviourKind, drafts: Readonly<Record<string, Draft>>): readonly Behaviour[] {
  return Object.entries(drafts).map(([id, draft]) => ({
    target: refundsUri,
    transports: ['http', 'stdio-script'],
    ...draft,
    id,
    kind,
  }));
}
