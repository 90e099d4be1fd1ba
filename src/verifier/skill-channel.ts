/** Plain access to the skills of an origin for verification: nothing is cached, and nothing is requested twice. */
import type { DecodedSkill, RefusedSkill } from '../dialects/skills-extension/decode-entry.ts';
import type { Remark } from '../dialects/skills-extension/remark.ts';

export interface ChannelPage {
  readonly skills: readonly DecodedSkill[];
  readonly refused: readonly RefusedSkill[];
  readonly remarks: readonly Remark[];
  /** Why the listing is cut after this page. */
  readonly cut?: string;
}

export interface ChannelEntry {
  readonly skill: DecodedSkill;
  readonly remarks: readonly Remark[];
}

export interface ChannelFile {
  readonly bytes: Uint8Array;
  readonly mimeType?: string;
}

export interface SkillChannel {
  /** Whether the origin sends media types of files. */
  readonly hasMediaTypes: boolean;
  /** Whether the origin itself has a `get()`, which must match its listing. */
  readonly hasGet: boolean;
  /** All pages. An endless listing is cut, and the last page says so. */
  pages(signal: AbortSignal): AsyncIterable<ChannelPage>;
  /** `undefined` if the origin has no such skill. */
  get(uri: string, signal: AbortSignal): Promise<ChannelEntry | undefined>;
  /** `undefined` if the origin has no such file. @throws VerificationError if more than `maxBytes` arrive */
  read(uri: string, maxBytes: number, signal: AbortSignal): Promise<ChannelFile | undefined>;
}
