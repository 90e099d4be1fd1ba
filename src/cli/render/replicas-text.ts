/** The replicas of a shared store, as one of them reports them. */
import type { ReplicaReport } from '../../node/http/replica-report.ts';
import { displayText } from '../../skill/display-text.ts';
import type { Member } from '../../store/store.ts';
import { type Column, type TableOptions, tableText } from './table.ts';
import { counted, secondText } from './values.ts';

/** Every replica is heard, and the shared store answers. */
export function isWhole({ away, members = [] }: ReplicaReport): boolean {
  return away === undefined && members.every(({ live }) => live);
}

export function replicasText({ applied, away, serves, members = [] }: ReplicaReport, options: TableOptions): string {
  const state =
    away === undefined
      ? ''
      : `shared store: away since ${secondText(away.since)}${serves ? '' : '; requests get 503'}. ${displayText(away.reason)}\n`;
  return state + tableText(members, columns(applied), options);
}

/** @param applied by the server that reports: another replica may have applied more since */
function columns(applied: number): readonly Column<Member>[] {
  return [
    { title: 'REPLICA', text: ({ id }) => id, style: (_, colors) => colors.bold },
    {
      title: 'STATE',
      text: ({ live }) => (live ? 'live' : 'silent'),
      style: ({ live }, colors) => (live ? colors.green : colors.red),
    },
    { title: 'BEHIND', right: true, text: (member) => behindText(applied - member.applied) },
    { title: 'HEARD', text: ({ silentMs }) => `${Math.round(silentMs / 1000)} s ago` },
    { title: 'VERSION', rest: true, text: ({ version }) => version },
  ];
}

function behindText(entries: number): string {
  return entries <= 0 ? '-' : counted(entries, 'entry', 'entries');
}
