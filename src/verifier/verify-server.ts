/**
 * Verifies an MCP server of skills from the point of view of its clients. It reads everything that the server lists in
 * the newest era it speaks. Then it checks error answers and directories, and compares the listing and a sample of the
 * files in the other era. The report states exactly what was read.
 */

import type { Era } from '../dialects/era.ts';
import { skillsExtensionId } from '../dialects/skills-extension/capability.ts';
import type { DecodedSkill } from '../dialects/skills-extension/decode-entry.ts';
import { SkillwireError } from '../errors.ts';
import { quoteText } from '../skill/display-text.ts';
import { checkDirectories } from './check-directories.ts';
import { checkErrors } from './check-errors.ts';
import { compareListing, readAgain } from './compare-era.ts';
import {
  createEraConnections,
  type EraConnection,
  type EraConnections,
  type EraConnectionsOptions,
} from './era-connections.ts';
import { createFailureList, type FailureList, mergeEras } from './failures.ts';
import { isInterruption } from './judge.ts';
import type { EraReport, VerifyReport } from './report.ts';
import { createSample, type Sample } from './sample.ts';
import { type CatalogReport, interruptedReason, type VerifyCatalogOptions, verifyCatalog } from './verify-catalog.ts';
import { wireChannel } from './wire-channel.ts';

export interface VerifyServerOptions extends Omit<VerifyCatalogOptions, 'channel'>, EraConnectionsOptions {
  readonly deadlineMs: number;
  /** Request skills even if none are declared; the missing declaration is then a failure. */
  readonly assumeSkills?: boolean;
  readonly onProgress?: (text: string) => void;
}

/** The results besides the catalog. They are filled step by step, so that an interruption loses nothing. */
interface Findings {
  readonly eras: EraReport[];
  readonly incomplete: string[];
  readonly failures: Map<Era, FailureList>;
}

/** @throws SkillwireError if the server cannot be reached or does not serve skills */
export async function verifyServer(options: VerifyServerOptions): Promise<VerifyReport> {
  const connections = createEraConnections(options);
  try {
    const first = await connections.first();
    return await verifyFrom(first, connections, options);
  } finally {
    await connections.close();
  }
}

async function verifyFrom(
  first: EraConnection,
  connections: EraConnections,
  options: VerifyServerOptions,
): Promise<VerifyReport> {
  const declaration = createFailureList();
  requireExtension(first, options.assumeSkills === true, declaration);
  const sample = createSample();
  const catalog = await verifyCatalog({
    ...options,
    channel: sample.watch(wireChannel(first.wire, options.deadlineMs)),
    onSkill(report) {
      sample.done(report);
      options.onSkill(report);
    },
  });
  sample.know(catalog.failures.list);
  const found: Findings = {
    eras: [checked(first, catalog.counts.skills, everything(catalog))],
    incomplete: [...catalog.incomplete],
    failures: new Map([[first.era, declaration]]),
  };
  try {
    if (!options.signal.aborted) await checkMore(first, declaration, connections, catalog, sample, options, found);
  } catch (error) {
    if (!isInterruption(error)) throw error;
    found.incomplete.push(interruptedReason);
  }
  const merged = mergeEras(found.failures);
  const unreachable = connections.absent.filter(({ state }) => state === 'failed');
  return {
    counts: catalog.counts,
    status: statusOf(first),
    eras: [...found.eras, ...connections.absent],
    failures: [...merged.list, ...catalog.failures.list],
    requirements: added(merged.counts, catalog.failures.counts, catalog.skillFailures),
    incomplete: [...found.incomplete, ...unreachable.map(({ era, message }) => `${era}: ${message}`)],
  };
}

/**
 * A malformed declaration is a failure, but verification continues. A server without a declaration does not serve
 * skills.
 */
function requireExtension({ wire, capability }: EraConnection, assume: boolean, failures: FailureList): void {
  failures.addRemarks(capability.remarks);
  if (capability.declared || capability.remarks.length > 0) return;
  if (assume) {
    failures.add({ requirement: 'S-1', message: `the extension "${skillsExtensionId}" is not declared` });
    return;
  }
  const name = wire.serverInfo === undefined ? 'the server' : `the server ${quoteText(wire.serverInfo.name)}`;
  throw new SkillwireError(
    'NO_SKILLS_EXTENSION',
    `Cannot verify skills: ${name} does not declare "${skillsExtensionId}" in capabilities.extensions. Try again with --assume-skills.`,
  );
}

/**
 * Checks error answers and directories, then the other eras. Without another era, it reads the sample again in this
 * one.
 */
async function checkMore(
  first: EraConnection,
  failures: FailureList,
  connections: EraConnections,
  catalog: CatalogReport,
  sample: Sample,
  options: VerifyServerOptions,
  found: Findings,
): Promise<void> {
  const { deadlineMs, signal, digest } = options;
  const { wire, capability } = first;
  options.onProgress?.('asking for what is not there, reading directories');
  const served = servedUris(sample.seen);
  const listing = catalog.incomplete.length === 0 || catalog.counts.skills > 0;
  const refusals = async ({ era, wire, capability }: EraConnection, list: FailureList): Promise<void> => {
    const { directoryRead } = capability;
    const why = await checkErrors({ wire, deadlineMs, signal, directoryRead, listing, served }, list);
    if (why !== undefined) found.incomplete.push(`${era}: ${why}`);
  };
  await refusals(first, failures);
  if (capability.directoryRead) {
    const entries = sample.read().map(({ entry }) => entry);
    const why = await checkDirectories(entries, { wire, deadlineMs, signal }, failures);
    if (why !== undefined) found.incomplete.push(why);
  }
  const others = await connections.others();
  for (const other of others) {
    const list = createFailureList({ known: sample.known });
    found.failures.set(other.era, list);
    list.addRemarks(other.capability.remarks);
    await refusals(other, list);
    options.onProgress?.(`comparing the ${other.era} era`);
    found.eras.push(await compareEra(first, other, list, catalog, sample, options, found));
  }
  if (others.length > 0) return;
  const again = createFailureList({ known: sample.known });
  found.incomplete.push(...(await readAgain(sample.read(), { wire, deadlineMs, signal, digest }, again)));
  for (const failure of again.list) failures.add(failure);
}

async function compareEra(
  first: EraConnection,
  { era, wire, capability }: EraConnection,
  failures: FailureList,
  catalog: CatalogReport,
  sample: Sample,
  { deadlineMs, signal, digest }: VerifyServerOptions,
  { incomplete }: Findings,
): Promise<EraReport> {
  if (!capability.declared && first.capability.declared) {
    failures.add({ requirement: 'S-1', message: 'the extension is declared in one protocol era only' });
    return { era, state: 'failed', message: 'the extension is not declared', skills: 0 };
  }
  const compare = { wire, deadlineMs, signal, digest };
  const { skills, cut } = await compareListing(catalog, compare, failures);
  if (cut !== undefined && !incomplete.includes(cut)) incomplete.push(`${era}: ${cut}`);
  const again = await readAgain(sample.read(), compare, failures);
  incomplete.push(...again.map((reason) => `${era}: ${reason}`));
  return checked({ era, wire }, skills, `listing compared, files of ${counted(sample.read().length)} read again`);
}

function servedUris(sample: readonly DecodedSkill[]): readonly string[] {
  const found = sample.find(({ entry }) => entry.resources !== 'dynamic' && entry.resources.length > 1) ?? sample[0];
  if (found === undefined) return [];
  const { uri, resources } = found.entry;
  const other = resources === 'dynamic' ? undefined : resources.find((file) => !file.uri.endsWith('/SKILL.md'));
  return other === undefined ? [uri] : [uri, other.uri];
}

function counted(skills: number): string {
  return skills === 1 ? '1 skill' : `${skills} skills`;
}

function everything({ counts, incomplete }: CatalogReport): string {
  const { skills, skipped } = counts;
  const read = `${incomplete.length === 0 ? 'every file' : 'files'} of ${counted(skills - skipped)} read`;
  return skipped === 0 ? read : `${read}, ${skipped} unchanged`;
}

function checked({ era, wire }: Pick<EraConnection, 'era' | 'wire'>, skills: number, message: string): EraReport {
  return { era, state: 'checked', message, protocolVersion: wire.protocolVersion, skills };
}

function statusOf({ wire, capability }: EraConnection): NonNullable<VerifyReport['status']> {
  const { protocolVersion, serverInfo, instructions } = wire;
  return {
    protocolVersion,
    skills: capability.declared,
    directoryRead: capability.directoryRead,
    serverInfo,
    instructions,
  };
}

function added(...maps: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  const sum = new Map<string, number>();
  for (const map of maps) for (const [id, count] of map) sum.set(id, (sum.get(id) ?? 0) + count);
  return sum;
}
