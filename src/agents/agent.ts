/** What is known of one agent: where it looks for skills and how one sees that it is installed. */
export interface Agent {
  readonly id: string;
  readonly name: string;
  /** Below the project, with `/`: `.claude/skills`. Absent: the agent has no skills of a project. */
  readonly projectFolder?: string;
  /** Of the user: `~/.claude/skills`. Absent: the agent has no skills of a user. */
  readonly globalFolder?: string;
  /** Whether it reads the shared folder by itself, so that nothing has to be linked for it. */
  readonly readsShared: { readonly project: boolean; readonly global: boolean };
  /** Paths whose existence tells that it is installed: `~/…` of the user, absolute, else below the project. */
  readonly detect: readonly string[];
  /** Other folders that it reads, written like those of `detect`. */
  readonly alsoReads?: readonly string[];
  /** A variable of the environment that moves its folder of the user. */
  readonly home?: { readonly variable: string; readonly replaces: string };
  /** It rewrites what it finds, so it must never get a link. */
  readonly copyOnly?: boolean;
  /** Characters of names and descriptions that it lists; what is beyond is cut. Absent where nothing is known. */
  readonly listingCharacters?: number;
}
