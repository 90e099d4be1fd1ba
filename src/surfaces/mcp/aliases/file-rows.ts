/** Which rows of `resources/list` are those of files: only they have another address under another scheme. */
import type { ResourceRow } from '../catalog-lookups.ts';

const rows = new WeakSet<ResourceRow>();

export function asFileRow(row: ResourceRow): ResourceRow {
  rows.add(row);
  return row;
}

export function isFileRow(row: ResourceRow): boolean {
  return rows.has(row);
}
