/**
 * Examples of the founding documents as data: the text, the step that runs it, and how our answer compares. Each is executed;
 * docs/explanation/founding.md is made of those that were.
 */
import type { CliResult } from '../e2e/cli-process.ts';
import type { Wire } from '../peers/clients/wire.ts';

export const documents = {
  survey: 'Survey of skill URIs (issue 44 of experimental-ext-skills)',
  sep2640: 'SEP-2640, Skills Extension: pull request and discussion',
  wellKnown: 'Agent Skills Discovery via Well-Known URIs, version 0.1',
  draft: 'Draft of the SEP before its submission (pull request 69)',
  mdp: 'Model Drive Protocol: definitions of skills',
} as const;

export type FoundingDocument = keyof typeof documents;

/** The server that an example runs against. */
export interface Bench {
  /** `skillwire serve ./skills`. */
  readonly wire: Wire;
  /** Its address without path. */
  readonly site: string;
  readonly mcp: string;
  /** `skillwire serve ./skills --dialects all --archive-entries --frontmatter-meta --usage ipinfo=ip-lookup --mdp --mdp-forward-header x-review-scope`. */
  readonly all: Wire;
  readonly allSite: string;
  /** `skillwire serve ./hub --scheme github --experimental-capability`. */
  readonly github: Wire;
  /** `skillwire serve ./skills --no-nested --resources all-files`. */
  readonly flat: Wire;
  /** A file of `./skills`. */
  file(path: string): Buffer;
  run(...argv: readonly string[]): Promise<CliResult>;
  /** `skillwire list` of a stand-in server, as JSON. */
  listStandIn(what: string): Promise<ListedByUs>;
}

export interface ListedByUs {
  readonly dialect: string;
  readonly skills: readonly { readonly name: string; readonly uri: string }[];
}

/** `same`: as it is written. `set`: with a switch. `other`: something else happens, for a reason. */
export type Verdict = 'same' | 'set' | 'other';

export interface Example {
  readonly document: FoundingDocument;
  /** The text of the document, shortened if it is long. */
  readonly example: string;
  readonly verdict: Verdict;
  /** The step, in one line. */
  readonly here: string;
  /** Why the result differs from the text. */
  readonly why?: string;
  /** The switch that gives the old behavior. */
  readonly set?: string;
  run(bench: Bench): Promise<void>;
}
