import type { Grants } from '../../host/approve/approvals.ts';

/** What an approval allows, in words: "loading", "loading, execution". */
export function grantsText({ execution, allowedTools }: Grants): string {
  return ['loading', ...(execution ? ['execution'] : []), ...(allowedTools ? ['allowed-tools'] : [])].join(', ');
}
