/** The offer that a person approves or declines: a skill, or its changes since the last approval. */
import type { Grants } from '../../host/approve/approvals.ts';
import type { SkillChange } from '../../host/approve/skill-change.ts';
import type { SkillRequests } from '../../host/approve/skill-requests.ts';
import type { ApprovalState } from '../../host/host.ts';
import type { CapturedEntry } from '../../host/load/capture.ts';
import { changeSummaryText, fileDiffsText } from './change-text.ts';
import { requestsText } from './requests-text.ts';
import { filesText, headText, type SkillTextOptions } from './skill-text.ts';

export interface ApprovalOffer {
  readonly captured: CapturedEntry;
  readonly setDigest: string;
  /** The grants besides loading. */
  readonly grants: Grants;
  readonly state: ApprovalState;
  readonly requests: SkillRequests;
  /** The skill hides text on purpose. */
  readonly hidden: boolean;
  /** Verified content of all files, by URI. */
  readonly bytes: ReadonlyMap<string, Uint8Array>;
  /** Since the earlier approval. */
  readonly change?: SkillChange;
}

export function offerText(offer: ApprovalOffer, options: SkillTextOptions): string {
  const { captured, requests, change, grants } = offer;
  const { colors } = options;
  const asked = requestsText(requests, colors);
  return [
    headText(captured, options),
    change === undefined
      ? `${colors.bold('files')}\n${filesText(captured, options)}`
      : `${colors.bold('changed since approval')}\n${changeSummaryText(change, colors)}\n${fileDiffsText(change, colors)}`,
    `${colors.bold('asks for')}\n${asked === '' ? '  nothing\n' : asked}`,
    notGrantedText(requests, grants),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** Requests that this approval does not grant. */
function notGrantedText(
  { scripts, executionFields, shellInText, allowedTools }: SkillRequests,
  grants: Grants,
): string {
  const executes = scripts.length + executionFields.length + shellInText.length > 0;
  return [
    executes && !grants.execution ? 'Not granted: execution (add --execution)\n' : '',
    allowedTools.length > 0 && !grants.allowedTools ? 'Not granted: tools (add --allowed-tools)\n' : '',
  ].join('');
}

export function offerJson({ captured, setDigest, state, requests, change }: ApprovalOffer): object {
  return {
    origin: captured.label,
    uri: captured.entry.uri,
    name: captured.entry.frontmatter.name,
    setDigest,
    why: state.state === 'changed' ? 'changed' : state.state === 'current' ? 'grants' : 'first',
    requests,
    change,
  };
}
