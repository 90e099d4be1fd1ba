/** All that a server of skills answers at addresses and in lists beside the final extension, for one catalog. */
import type { Catalog, CatalogChange } from '../../../catalog/catalog.ts';
import type { Snapshot } from '../../../catalog/snapshot.ts';
import type { CompletionAnswer } from '../../../dialects/resource-templates/completion.ts';
import { skillIndexUri } from '../../../dialects/skill-index/decode-index.ts';
import { allSkillsUri } from '../../../dialects/skilljack/skilljack-resources.ts';
import type { ResourceRow } from '../catalog-lookups.ts';
import type { ReportError } from '../method-errors.ts';
import { changedAliases } from './alias-changes.ts';
import { findAlias } from './find-alias.ts';
import { createReadAlias, type ReadAlias } from './read-alias.ts';
import { createResourceListing } from './resource-listing.ts';
import type { DialectSettings } from './served-dialects.ts';
import { completeTemplate, type ListedTemplate, templateRows } from './template-listing.ts';

export interface Aliases {
  readonly read: ReadAlias;
  /** Rows of `resources/list`, sorted by URI. */
  rows(snapshot: Snapshot, params: unknown): readonly ResourceRow[];
  /** Whether a row of `resources/list` may have this URI, now or at another time. */
  mayList(uri: string): boolean;
  /** The usual spelling of an address that can be followed, or undefined where it means nothing. */
  resolve(uri: string, snapshot: Snapshot): string | undefined;
  /** Addresses that a change concerns. */
  changed(change: CatalogChange): readonly string[];
  templates(snapshot: Snapshot): readonly ListedTemplate[];
  /** Values for a variable of a template; undefined for a text that is no template. */
  complete(
    snapshot: Snapshot,
    uriTemplate: string,
    argument: { readonly name: string; readonly value: string },
    chosen: Readonly<Record<string, string>>,
  ): CompletionAnswer | undefined;
}

export function createAliases(catalog: Catalog, settings: DialectSettings, report: ReportError | undefined): Aliases {
  const listing = createResourceListing(settings);
  const { served, resources, listAliases } = settings;
  const everything = resources === 'all-files' || listAliases === true || served.has('resource-list');
  return {
    read: createReadAlias(catalog, settings, report),
    rows: listing.rows,
    mayList: (uri) => everything || uri.endsWith('/SKILL.md') || (uri === skillIndexUri && served.has('skill-index')),
    resolve(uri, snapshot) {
      if (uri === allSkillsUri && served.has('skilljack')) return uri;
      return findAlias(uri, snapshot, settings)?.uri;
    },
    changed: (change) => changedAliases(change, settings),
    templates: (snapshot) => templateRows(snapshot, settings),
    complete: completeTemplate,
  };
}
