import type { SkillEntry } from '../../skill/entry.ts';
import type { ModelText } from '../present/model-text.ts';

/** Grants of the approval besides loading. */
export interface LoadedGrants {
  readonly execution: boolean;
  /** The tools of `allowed-tools` if they were granted; otherwise none. */
  readonly allowedTools: readonly string[];
}

/** A file of a loaded skill, as bytes and as text for a model. */
export interface LoadedFile {
  readonly uri: string;
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly verified: boolean;
  readonly text: ModelText;
}

export interface SkillFileName {
  readonly path: string;
  readonly uri: string;
  readonly size?: number;
}

export interface DirectoryMember {
  readonly name: string;
  readonly path: string;
  readonly directory: boolean;
  readonly size?: number;
}

export interface ReadOptions {
  /** URI of the file that contains the reference; default: the skill's `SKILL.md`. */
  readonly from?: string;
  readonly signal?: AbortSignal;
}

/** An acting window: from the moment `SKILL.md` enters the context of a model until `release()`. */
export interface LoadedSkill {
  readonly id: string;
  readonly label: string;
  readonly local: boolean;
  readonly remote: boolean;
  readonly uri: string;
  readonly name: string;
  readonly entry: SkillEntry;
  readonly verified: boolean;
  readonly grants: LoadedGrants;
  readonly text: ModelText;
  /** The program reported that the skill left the context. */
  readonly released: boolean;
  files(): readonly SkillFileName[];
  /** From the captured entry alone; `''` is the folder of the skill. `undefined` if there is no such folder. */
  readDirectory(path: string): readonly DirectoryMember[] | undefined;
  read(reference: string, options?: ReadOptions): Promise<LoadedFile>;
  release(): void;
}
