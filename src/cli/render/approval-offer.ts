/** What a person is about to approve: the skill as it is, or what changed in it since the last approval. */
import type { Grants } from '../../host/approve/approvals.ts';
import type { SkillAsks } from '../../host/approve/skill-asks.ts';
import type { SkillChange } from '../../host/approve/skill-change.ts';
import type { ApprovalState } from '../../host/host.ts';
import type { CapturedEntry } from '../../host/load/capture.ts';
import { asksText } from './asks-text.ts';
import { changeSummaryText, fileDiffsText } from './change-text.ts';
import { filesText, headText, type SkillTextOptions } from './skill-text.ts';

export interface ApprovalOffer {
  readonly held: CapturedEntry;
  readonly setDigest: string;
  /** What would be granted besides loading. */
  readonly grants: Grants;
  readonly state: ApprovalState;
  readonly asks: SkillAsks;
  /** Text is hidden in it on purpose. */
  readonly hidden: boolean;
  /** Of all files, by URI, verified. */
  readonly bytes: ReadonlyMap<string, Uint8Array>;
  /** Since the approval that no longer counts. */
  readonly change?: SkillChange;
}

export function offerText(offer: ApprovalOffer, options: SkillTextOptions): string {
  const { held, asks, change, grants } = offer;
  const { colors } = options;
  const asked = asksText(asks, colors);
  return [
    headText(held, options),
    change === undefined
      ? `${colors.bold('files')}\n${filesText(held, options)}`
      : `${colors.bold('changed since it was approved')}\n${changeSummaryText(change, colors)}\n${fileDiffsText(change, colors)}`,
    `${colors.bold('asks for')}\n${asked === '' ? '  nothing\n' : asked}`,
    notGrantedText(asks, grants),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** What it asks for and would not get. */
function notGrantedText({ scripts, executionFields, shellInText, allowedTools }: SkillAsks, grants: Grants): string {
  const executes = scripts.length + executionFields.length + shellInText.length > 0;
  return [
    executes && !grants.execution ? 'execution is not granted; --execution grants it\n' : '',
    allowedTools.length > 0 && !grants.allowedTools ? 'its tools are not granted; --allowed-tools grants them\n' : '',
  ].join('');
}

export function offerJson({ held, setDigest, state, asks, change }: ApprovalOffer): object {
  return {
    origin: held.label,
    uri: held.entry.uri,
    name: held.entry.frontmatter.name,
    setDigest,
    why: state.state === 'changed' ? 'changed' : state.state === 'current' ? 'grants' : 'first',
    asks,
    change,
  };
}
