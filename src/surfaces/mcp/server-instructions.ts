/** The instructions of a skills server for models: how to find skills, and which one to read first. */
import type { Catalog } from '../../catalog/catalog.ts';
import { offeredSkills } from '../../catalog/offered-skills.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import { encodeUsageInstructions } from '../../dialects/nimblebrain/usage-resource.ts';
import { dialectSettings } from './aliases/served-dialects.ts';
import type { ReportError } from './method-errors.ts';
import type { SkillsServerOptions } from './server-options.ts';
import { skillsInstructions } from './skills-capability.ts';

/** Returns a function that gives the current text synchronously. */
export function serverInstructions(catalog: Catalog, options: SkillsServerOptions): () => string {
  const count = skillCount(catalog, options.onerror);
  const { instructions, usage } = options;
  const served = dialectSettings(options).served.has('nimblebrain');
  const first = usage === undefined || !served ? '' : ` ${encodeUsageInstructions(usage.label)}`;
  return () => instructions ?? skillsInstructions(count()) + first;
}

interface Count {
  snapshot?: Snapshot;
  loading?: boolean;
}

const counts = new WeakMap<Catalog, Count>();

/**
 * Returns a function that gives the number of listed skills, or `undefined` while the catalog loads. Its first call starts loading. It never
 * waits, because a server must answer `initialize` at once.
 */
function skillCount(catalog: Catalog, report: ReportError | undefined): () => number | undefined {
  let count = counts.get(catalog);
  if (count === undefined) {
    const created: Count = {};
    catalog.subscribe(({ snapshot }) => {
      created.snapshot = snapshot;
    });
    counts.set(catalog, created);
    count = created;
  }
  const known = count;
  return () => {
    if (known.snapshot === undefined && known.loading !== true) void load(catalog, known, report);
    return known.snapshot === undefined ? undefined : offeredSkills(known.snapshot).length;
  };
}

async function load(catalog: Catalog, count: Count, report: ReportError | undefined): Promise<void> {
  count.loading = true;
  try {
    count.snapshot = await catalog.snapshot();
  } catch (error) {
    report?.(error instanceof Error ? error : new Error(String(error)));
  } finally {
    count.loading = false;
  }
}
