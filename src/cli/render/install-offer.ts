/**
 * The skills that a person decides about before they are installed: one line each, or everything about them. A changed skill is shown as the
 * difference to the installed version.
 */
import { requestsOf } from '../../host/approve/skill-requests.ts';
import { verdictText } from '../../signing/verdict-text.ts';
import { displayText } from '../../skill/display-text.ts';
import type { SkillRequests } from '../../skill/runs-code.ts';
import type { InstallOffer } from '../../sync/install-decision.ts';
import { changeSummaryText, fileDiffsText } from './change-text.ts';
import type { Colors } from './color.ts';
import { requestsText } from './requests-text.ts';
import { signatureRows } from './signature-rows.ts';
import { filesText, headText } from './skill-text.ts';
import { shownWidth } from './text-width.ts';
import { byteSize, counted, someOf } from './values.ts';
import { wrapped } from './wrapped.ts';

export interface OfferOptions {
  readonly colors: Colors;
  readonly cwd: string;
  readonly width: number;
  /** The display form of a label. */
  readonly shown: (label: string) => string;
}

/** One line per skill, longer ones wrapped below. */
export function offersText(offers: readonly InstallOffer[], options: OfferOptions): string {
  const { colors, width } = options;
  const names = Math.max(...offers.map(({ name }) => shownWidth(displayText(name))));
  return offers
    .map((offer) => {
      const name = displayText(offer.name);
      const indent = ' '.repeat(names + 4);
      const line = wrapped(factsOf(offer).join(' · '), width - indent.length);
      const facts = line.split('\n').join(`\n${indent}`);
      const change = offer.change === undefined ? '' : changeText(offer.change, colors);
      return `  ${colors.bold(name)}${' '.repeat(names - shownWidth(name))}  ${facts}\n${change}`;
    })
    .join('');
}

/** Files, size and everything that a person should notice, the riskiest first. */
function factsOf({ skill, why, executables, hidden, signer, recalled, verdict }: InstallOffer): readonly string[] {
  const bytes = skill.files.reduce((sum, { size }) => sum + size, 0);
  const requests = requestsOf(skill.captured.entry, skill.texts);
  const { scripts, hosts, shellInText, executionFields, allowedTools, nested } = requests;
  return [
    ...(why === 'changed' ? ['changed'] : why === 'other-origin' ? ['replaces the one of another origin'] : []),
    `${counted(skill.files.length, 'file')}, ${byteSize(bytes)}`,
    ...(recalled === true ? ['recalled'] : []),
    ...(signer === 'changed' ? ['signed by somebody else'] : []),
    ...(verdict.signature === undefined ? [] : [verdictText(verdict.signature.verdict)]),
    ...(hidden || requests.hidden.length > 0 ? ['hidden text'] : []),
    ...(shellInText.length === 0 ? [] : [counted(shellInText.length, 'command in the text', 'commands in the text')]),
    ...(executionFields.length === 0
      ? []
      : [counted(executionFields.length, 'field that executes', 'fields that execute')]),
    ...(scripts.length === 0 ? [] : [scriptsFact(scripts, executables)]),
    ...(allowedTools.length === 0 ? [] : [`tools: ${someOf(shownValues(allowedTools))}`]),
    ...(nested.length === 0 ? [] : [counted(nested.length, 'nested skill')]),
    ...(hosts.length === 0 ? [] : [`mentions ${someOf(shownValues(hosts))}`]),
  ];
}

function shownValues(values: readonly string[]): readonly string[] {
  return values.map((value) => displayText(value));
}

function scriptsFact(scripts: SkillRequests['scripts'], executables: readonly string[]): string {
  const executable = executables.length === 0 ? '' : ` (${executables.length} executable at the origin)`;
  return `${counted(scripts.length, 'script')}${executable}`;
}

function changeText(change: NonNullable<InstallOffer['change']>, colors: Colors): string {
  return `${colors.bold('changed since installation')}\n${changeSummaryText(change, colors)}${fileDiffsText(change, colors)}`;
}

/** Everything about the skills: description, files with digests, requests. */
export function offerDetails(offers: readonly InstallOffer[], options: OfferOptions): string {
  return offers.map((offer) => detailsOf(offer, options)).join('\n');
}

function detailsOf(offer: InstallOffer, { colors, cwd, width, shown }: OfferOptions): string {
  const { skill, change, executables, verdict, signerChange } = offer;
  const { captured, texts } = skill;
  const how = { colors, cwd, width, label: shown(captured.label), shortDigests: true };
  const requestLines = requestsText(requestsOf(captured.entry, texts), colors);
  return [
    `${headText(captured, how)}${signatureRows(captured, { ...verdict, signerChange }, colors)}`,
    `${colors.bold('files')}\n${filesText(captured, how)}`,
    change === undefined ? '' : changeText(change, colors),
    `${colors.bold('asks for')}\n${requestLines === '' ? '  nothing\n' : requestLines}`,
    executables.length === 0
      ? ''
      : `Scripts (not executable yet): ${executables.map((path) => displayText(path)).join(', ')}\n`,
  ]
    .filter((part) => part !== '')
    .join('\n');
}
