/** A way to the skills of an origin, as plain as verifying needs it: nothing is kept, nothing is asked twice. */
import type { DecodedSkill, RefusedSkill } from '../dialects/skills-extension/decode-entry.ts';
import type { Remark } from '../dialects/skills-extension/remark.ts';

export interface ChannelPage {
  readonly skills: readonly DecodedSkill[];
  readonly refused: readonly RefusedSkill[];
  readonly remarks: readonly Remark[];
  /** Why the listing is not read beyond this page, though there is more. */
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
  /** Whether the origin tells the types of files. */
  readonly tellsTypes: boolean;
  /** Whether `get()` is a method of the origin, which has to agree with its listing. */
  readonly hasGet: boolean;
  /** All pages. A listing that does not end is cut, and the last page says so. */
  pages(signal: AbortSignal): AsyncIterable<ChannelPage>;
  /** Undefined where the origin knows no such skill. */
  get(uri: string, signal: AbortSignal): Promise<ChannelEntry | undefined>;
  /** Undefined where the origin knows no such file. @throws VerificationError where more than `maxBytes` arrive */
  read(uri: string, maxBytes: number, signal: AbortSignal): Promise<ChannelFile | undefined>;
}
