/** The offer that a person approves or declines: a skill, or its changes since the last approval; and a plan of several. */
import type { Grants } from '../../host/approve/approvals.ts';
import type { JudgedSignature } from '../../host/approve/signature-gate.ts';
import type { SkillChange } from '../../host/approve/skill-change.ts';
import type { ApprovalState } from '../../host/host.ts';
import type { CapturedEntry } from '../../host/load/capture.ts';
import { displayText } from '../../skill/display-text.ts';
import type { SkillRequests } from '../../skill/runs-code.ts';
import { changeSummaryText, fileDiffsText } from './change-text.ts';
import type { Colors } from './color.ts';
import { requestsText } from './requests-text.ts';
import { signatureRows } from './signature-rows.ts';
import { filesText, headText, type SkillTextOptions } from './skill-text.ts';
import { byteSize, counted } from './values.ts';

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
  /** By URI, those that are text. */
  readonly texts: ReadonlyMap<string, string>;
  /** Since the earlier approval. */
  readonly change?: SkillChange;
  /** Absent if no signers are trusted. */
  readonly signature?: JudgedSignature;
  /** How the signer differs from the approved one. */
  readonly signerChange?: string;
}

/** An offer without the content of its files. */
export type OfferSummary = Omit<ApprovalOffer, 'bytes' | 'texts'>;

export function offerSummary({ bytes: _, texts: __, ...summary }: ApprovalOffer): OfferSummary {
  return summary;
}

/** "changed since approval, 3 files, 12 KiB". */
export function factsText({ captured: { entry }, state: { state } }: OfferSummary): string {
  const files = entry.resources === 'dynamic' ? [] : entry.resources;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const since = { changed: 'changed since approval', current: 'already approved', none: 'new', unverifiable: 'new' };
  return `${since[state]}, ${counted(files.length, 'file')}, ${byteSize(bytes)}`;
}

export interface PlanTextOptions {
  readonly colors: Colors;
  /** The display form of a label. */
  readonly labelOf: (label: string) => string;
}

/** One line per skill, with its requests and the sentences about its change below. */
export function planText(offers: readonly OfferSummary[], { colors, labelOf }: PlanTextOptions): string {
  return offers
    .map((offer) => {
      const { captured, requests, change } = offer;
      const name = colors.bold(displayText(captured.entry.frontmatter.name));
      const signed = signatureRows(captured, offer, colors);
      const below = `${signed}${requestsText(requests, colors)}${change === undefined ? '' : changeSummaryText(change, colors)}`;
      return `${name} of ${displayText(labelOf(captured.label))}: ${factsText(offer)}\n${below}`;
    })
    .join('');
}

export function offerText(offer: ApprovalOffer, options: SkillTextOptions): string {
  const { captured, requests, change, grants } = offer;
  const { colors } = options;
  const requested = requestsText(requests, colors);
  return [
    `${headText(captured, options)}${signatureRows(captured, offer, colors)}`,
    change === undefined
      ? `${colors.bold('files')}\n${filesText(captured, options)}`
      : `${colors.bold('changed since approval')}\n${changeSummaryText(change, colors)}\n${fileDiffsText(change, colors)}`,
    `${colors.bold('asks for')}\n${requested === '' ? '  nothing\n' : requested}`,
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

export function offerJson({ captured, setDigest, state, requests, change, ...signed }: OfferSummary): object {
  return {
    origin: captured.label,
    uri: captured.entry.uri,
    name: captured.entry.frontmatter.name,
    setDigest,
    why: state.state === 'changed' ? 'changed' : state.state === 'current' ? 'grants' : 'first',
    requests,
    change,
    signature: signed.signature?.verdict,
    signerChange: signed.signerChange,
  };
}
