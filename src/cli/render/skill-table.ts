/** Skills of one or several origins as a table. Ambiguous names are marked. */
import type { DiscoveredSkill } from '../../host/discover/discovered-skill.ts';
import { type SkillState, stateWords } from '../decisions/skill-state.ts';
import type { ListedSignature } from '../listed-signatures.ts';
import type { Colors } from './color.ts';
import { type Column, type TableOptions, tableText } from './table.ts';
import { byteSize } from './values.ts';

export interface SkillTableOptions extends TableOptions {
  readonly stateOf: (skill: DiscoveredSkill) => SkillState;
  /** Empty omits the column. */
  readonly signatures?: ReadonlyMap<DiscoveredSkill, ListedSignature>;
  /** The display form of a label; `undefined` omits the column. */
  readonly shown: ((label: string) => string) | undefined;
}

export function skillTable(skills: readonly DiscoveredSkill[], options: SkillTableOptions): string {
  const { stateOf, shown, signatures = new Map<DiscoveredSkill, ListedSignature>() } = options;
  const columns: readonly Column<DiscoveredSkill>[] = [
    {
      title: 'NAME',
      text: ({ name, ambiguous }) => `${name}${ambiguous ? ' *' : ''}`,
      style: ({ ambiguous }, colors) => (ambiguous ? colors.yellow : colors.bold),
    },
    ...(shown === undefined
      ? []
      : [{ title: 'ORIGIN', text: ({ label }: DiscoveredSkill) => shown(label) } satisfies Column<DiscoveredSkill>]),
    { title: 'FILES', right: true, text: (skill) => filesText(skill) },
    { title: 'SIZE', right: true, text: (skill) => sizeText(skill) },
    {
      title: 'STATE',
      text: (skill) => stateWords[stateOf(skill)],
      style: (skill, colors) => stateColor(stateOf(skill), colors),
    },
    ...(signatures.size === 0
      ? []
      : [
          {
            title: 'SIGNED',
            text: (skill: DiscoveredSkill) => signedText(signatures.get(skill)),
            style: (skill: DiscoveredSkill, colors: Colors) => signedColor(signatures.get(skill), colors),
          } satisfies Column<DiscoveredSkill>,
        ]),
    { title: 'DESCRIPTION', rest: true, text: ({ description }) => description },
  ];
  return tableText(skills, columns, options);
}

/** The signer in short; any other state of the signature by its own name. */
function signedText(verdict: ListedSignature | undefined): string {
  if (verdict === undefined) return '';
  return verdict.state === 'signed' ? `by ${verdict.signer.names.join(', ')}` : verdict.state;
}

function signedColor(verdict: ListedSignature | undefined, colors: Colors): (text: string) => string {
  if (verdict?.state === 'signed') return colors.green;
  return verdict === undefined || verdict.state === 'unsigned' ? (text) => text : colors.red;
}

export function totalSize({ entry }: Pick<DiscoveredSkill, 'entry'>): number | undefined {
  return entry.resources === 'dynamic' ? undefined : entry.resources.reduce((sum, { size }) => sum + size, 0);
}

function filesText({ entry, partial }: DiscoveredSkill): string {
  if (entry.resources !== 'dynamic') return String(entry.resources.length);
  return partial === undefined || partial.more === true ? '?' : String(partial.files.length);
}

function sizeText(skill: DiscoveredSkill): string {
  const size = totalSize(skill);
  return size === undefined ? '?' : byteSize(size);
}

export function stateColor(state: SkillState, colors: Colors): (text: string) => string {
  if (state === 'approved') return colors.green;
  if (state === 'changed') return colors.red;
  return state === 'local' ? (text) => text : colors.yellow;
}
