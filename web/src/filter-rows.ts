/** Instant search and facets over the listing: every word must occur; names count most. */

import type { Finding } from '../../src/skill/finding.ts';
import type { SkillListing, SkillRow } from '../../src/surfaces/page/page-data.ts';

export type ListItem =
  | { readonly kind: 'skill'; readonly row: SkillRow; readonly hay: string; readonly name: string }
  /** Everything of one kind that was found in one file. */
  | {
      readonly kind: 'finding';
      readonly finding: Finding;
      readonly more: readonly Finding[];
      readonly hay: string;
      readonly name: string;
    };

export interface Facet {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  test(item: ListItem): boolean;
}

const ofSkill =
  (test: (row: SkillRow) => boolean) =>
  (item: ListItem): boolean =>
    item.kind === 'skill' && test(item.row);

/** Whether the finding keeps something from agents. */
export function isNotServed({ level, rule }: Finding): boolean {
  return level === 'problem' || /^policy-(?:denied|disabled|waiting)$/.test(rule);
}

export const facets: readonly Facet[] = [
  {
    id: 'not-served',
    label: 'Not served',
    hint: 'Problems that keep a skill from being served, and how to fix them',
    test: (item) => (item.kind === 'finding' ? isNotServed(item.finding) : item.row.agentsGet === 'nothing'),
  },
  {
    id: 'waiting',
    label: 'Waiting',
    hint: 'Agents cannot load this version until a person approves it',
    test: ofSkill(({ state }) => state === 'waiting'),
  },
  {
    id: 'verified',
    label: 'Verified',
    hint: 'Every file has a digest',
    test: ofSkill(({ verified }) => verified),
  },
  {
    id: 'live',
    label: 'Live',
    hint: 'Generated per request by a running program',
    test: ofSkill(({ verified }) => !verified),
  },
  {
    id: 'scripts',
    label: 'Has scripts',
    hint: 'Contains executable files',
    test: ofSkill(({ scripts }) => scripts > 0),
  },
  {
    id: 'tools',
    label: 'Asks for tools',
    hint: 'Names tools in allowed-tools',
    test: ofSkill(({ tools }) => tools > 0),
  },
  {
    id: 'approved',
    label: 'Approved',
    hint: 'A person approved exactly these files',
    test: ofSkill(({ approved }) => approved === 'yes'),
  },
  {
    id: 'not-approved',
    label: 'Not approved',
    hint: 'No approval for the current version',
    test: ofSkill(({ approved }) => approved === 'no' || approved === 'changed'),
  },
  { id: 'denied', label: 'Denied', hint: 'Agents do not get it', test: ofSkill(({ state }) => state === 'denied') },
  {
    id: 'findings',
    label: 'Findings',
    hint: 'Served, with a warning',
    test: (item) => item.kind === 'finding' || item.row.problems + item.row.warnings + item.row.notes > 0,
  },
  {
    id: 'same-name',
    label: 'Same name',
    hint: 'Several skills have this name',
    test: ofSkill(({ collides }) => collides),
  },
  {
    id: 'disabled',
    label: 'Disabled',
    hint: 'Agents do not get it',
    test: ofSkill(({ state }) => state === 'disabled'),
  },
  { id: 'unlisted', label: 'Not listed', hint: 'Answered by its URI only', test: ofSkill(({ listed }) => !listed) },
];

/** What is looked at from the start: few problems stand first, many last. */
const fewProblems = 3;

export function itemsOf({ skills, findings }: SkillListing): readonly ListItem[] {
  const rows = skills
    .map(
      (row): ListItem => ({
        kind: 'skill',
        row,
        name: row.name.toLowerCase(),
        hay: `${row.name} ${row.description} ${row.uri} ${row.origin}`.toLowerCase(),
      }),
    )
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const others = byFile(findings).map(
    ([finding, ...more]): ListItem => ({
      kind: 'finding',
      finding,
      more,
      name: '',
      hay: [finding, ...more]
        .map(({ file = '', skill = '', message, rule }) => `${file} ${skill} ${message} ${rule}`)
        .join(' ')
        .toLowerCase(),
    }),
  );
  const problems = others.filter((item) => item.kind === 'finding' && isNotServed(item.finding));
  const rest = others.filter((item) => !problems.includes(item));
  return problems.length <= fewProblems ? [...problems, ...rows, ...rest] : [...rows, ...problems, ...rest];
}

function byFile(findings: readonly Finding[]): readonly (readonly [Finding, ...Finding[]])[] {
  const groups = new Map<string, [Finding, ...Finding[]]>();
  for (const [index, finding] of findings.entries()) {
    const key = finding.file === undefined ? String(index) : `${finding.level} ${finding.file}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [finding]);
    else group.push(finding);
  }
  return [...groups.values()];
}

export function search(items: readonly ListItem[], text: string): readonly ListItem[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return items;
  const [first = ''] = words;
  const rank = ({ name, kind }: ListItem): number => {
    if (name === first) return 0;
    if (name.startsWith(first)) return 1;
    if (words.some((word) => name.includes(word))) return 2;
    return kind === 'skill' ? 3 : 4;
  };
  return items
    .filter(({ hay }) => words.every((word) => hay.includes(word)))
    .map((item) => ({ item, rank: rank(item) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

/** The folder that a finding is about, as a name for people. */
export function findingName({ file, skill }: Finding): string {
  const path = file ?? skill ?? '';
  const parts = path.split(/[\\/]/).filter((part) => part !== '');
  const last = parts.at(-1) ?? '';
  return /^skill\.md$/i.test(last) ? (parts.at(-2) ?? last) : last;
}
