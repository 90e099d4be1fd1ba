/** The effect of `skillwire state import` on the current values. */
import { limits } from '../../limits.ts';
import { displayText } from '../../skill/display-text.ts';
import type { ImportPlan, Revival } from '../../store/plan-import.ts';
import { type ImportChoices, notRevived, replacedBy } from '../../store/state-import.ts';
import { titleOf } from '../../store/state-kinds.ts';
import { timeText } from '../../store/tombstones.ts';
import { counted } from './values.ts';

const causes: Readonly<Record<Revival['cause'], string>> = {
  revoked: 'revoked',
  replaced: 'replaced by a newer one',
  denied: 'denied here',
  narrowed: 'replaced by a newer one for other content',
};

export function importJson(plan: ImportPlan, choices: ImportChoices, imported: boolean): object {
  const { counts, revives, revoked, restores } = plan;
  return {
    ...counts,
    replaced: replacedBy(plan, choices).length,
    skipped: choices.skipRevoked ? notRevived(plan, choices).length : 0,
    imported,
    revives: revives.map(({ kind, key, name, cause, at, reason, user }) => ({
      kind,
      key,
      what: titleOf(key, name),
      name,
      cause,
      at: timeText(at),
      reason,
      user,
    })),
    revoked: revoked.map(({ key, name, at }) => ({ key, what: titleOf(key, name), at: timeText(at) })),
    restores: restores.map((key) => ({ key, what: titleOf(key) })),
  };
}

export function importText(plan: ImportPlan, choices: ImportChoices, imported: boolean): string {
  const { counts, revives, revoked, restores } = plan;
  const left = new Set(notRevived(plan, choices));
  const back = revives.filter((revival) => !left.has(revival));
  const values = `${counted(counts.state, 'value')}, ${counted(counts.audit, 'record')}, ${counted(counts.blobs, 'blob')}`;
  const totals = `${values}; ${replacedBy(plan, choices).length} replaced, ${left.size} left out`;
  const skips = choices.skipRevoked ? 'left out' : 'not imported';
  return [
    ...section(imported ? 'restored' : 'would restore', back.map(revivalText)),
    ...section(skips, [...left].map(revivalText)),
    ...section(
      imported ? 'revoked here' : 'would revoke here',
      revoked.map(({ key, name, at }) => `${titleOf(key, name)}, revoked on ${timeText(at)}`),
    ),
    ...section(
      imported ? 'in force again' : 'would be in force again',
      restores.map((key) => titleOf(key)),
    ),
    ...(left.size > 0 && !choices.skipRevoked ? [] : [`${imported ? 'imported' : 'would import'}: ${totals}`]),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function section(title: string, lines: readonly string[]): readonly string[] {
  const shown = lines.slice(0, limits.store.faultsReported).map((line) => `${title}: ${line}`);
  const more = lines.length - shown.length;
  return more === 0 ? shown : [...shown, `${title}: ${more} more; --json lists all`];
}

function revivalText({ key, name, cause, at, reason, user }: Revival): string {
  const who = user === undefined ? '' : ` by ${displayText(user)}`;
  const why = reason === undefined ? '' : ` (${displayText(reason)})`;
  return `${titleOf(key, name)}, ${causes[cause]} on ${timeText(at)}${who}${why}`;
}
