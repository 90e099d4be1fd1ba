/** The requests of a skill, one line per kind and the riskiest first, and the grants of an approval. */

import type { Grants } from '../../host/approve/approvals.ts';
import { displayText } from '../../skill/display-text.ts';
import type { SkillRequests } from '../../skill/runs-code.ts';
import type { Colors } from './color.ts';

const kinds: readonly (readonly [keyof SkillRequests, string])[] = [
  ['hidden', 'hidden text'],
  ['shellInText', 'commands in the text'],
  ['executionFields', 'fields that execute'],
  ['scripts', 'scripts'],
  ['allowedTools', 'allowed-tools'],
  ['hosts', 'network hosts'],
  ['nested', 'nested skills'],
];

const risky: readonly (keyof SkillRequests)[] = ['hidden', 'shellInText', 'executionFields'];

export function requestsText(requests: SkillRequests, colors: Colors): string {
  return kinds
    .filter(([kind]) => requests[kind].length > 0)
    .map(([kind, title]) => {
      const values = requests[kind].map((value) => displayText(value));
      const shown = risky.includes(kind) ? colors.yellow(title) : title;
      if (values.length === 1) return `  ${shown}: ${values[0]}\n`;
      return `  ${shown}:\n${values.map((value) => `    ${value}\n`).join('')}`;
    })
    .join('');
}

/** "loading", "loading, execution". */
export function grantsText({ execution, allowedTools }: Grants): string {
  return ['loading', ...(execution ? ['execution'] : []), ...(allowedTools ? ['allowed-tools'] : [])].join(', ');
}

/** "Agents will be able to load it and run its scripts." */
export function effectText({ execution, allowedTools }: Grants, what: 'it' | 'them' = 'it'): string {
  const of = what === 'it' ? 'its' : 'their';
  const rights = [
    `load ${what}`,
    ...(execution ? [`run ${of} scripts`] : []),
    ...(allowedTools ? [`use ${of} tools`] : []),
  ];
  return `Agents will be able to ${rights.join(' and ')}.`;
}
