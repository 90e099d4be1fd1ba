/**
 * Verifies an MCP server of skills as its hosts will meet it: everything that it lists in the newest era that it speaks, then
 * the same listing and a sample of the files in the other era, how it refuses what is not there, and its directories. Nothing
 * is sampled silently: the report says what was read.
 */
import {
  decodeCapabilities,
  type SkillsCapability,
  skillsExtensionId,
} from '../dialects/skills-extension/capability.ts';
import type { DecodedSkill } from '../dialects/skills-extension/decode-entry.ts';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import type { Wire } from '../sources/mcp-server/wire.ts';
import { checkDirectories } from './check-directories.ts';
import { checkErrors } from './check-errors.ts';
import { compareListing, readAgain } from './compare-era.ts';
import { createFailureList, type FailureList, failureKey, mergeEras } from './failures.ts';
import { impatientWire } from './impatient-wire.ts';
import { isInterruption } from './judge.ts';
import { narrowWire } from './narrow-wire.ts';
import type { Era, EraReport, Failure, SkillReport, VerifyReport } from './report.ts';
import type { SkillChannel } from './skill-channel.ts';
import {
  type CatalogueReport,
  interruptedReason,
  type VerifyCatalogueOptions,
  verifyCatalogue,
} from './verify-catalogue.ts';
import { wireChannel } from './wire-channel.ts';

export interface VerifyServerOptions extends Omit<VerifyCatalogueOptions, 'channel'> {
  /** Connects in this era only. */
  readonly connect: (era: Era, signal: AbortSignal) => Promise<Wire>;
  readonly eras: readonly Era[];
  readonly deadlineMs: number;
  /** Ask for skills although none are declared, which is a failure then. */
  readonly assumeSkills?: boolean;
  readonly onProgress?: (text: string) => void;
}

interface Connected {
  readonly era: Era;
  readonly wire: Wire;
  readonly capability: SkillsCapability;
}

/** With what was seen in this era. */
interface Met extends Connected {
  readonly failures: FailureList;
}

/** @throws SkillwireError where the server cannot be reached, or does not serve skills */
export async function verifyServer(options: VerifyServerOptions): Promise<VerifyReport> {
  const { met, absent } = await meet(options);
  try {
    // One that declares skills first: what it lists is what the others are compared with.
    const [first, ...others] = [...met].sort((a, b) => Number(b.capability.declared) - Number(a.capability.declared));
    if (first === undefined) throw new TypeError('no era was met');
    return await verifyMet(first, others, absent, options);
  } finally {
    await Promise.all(met.map(({ wire }) => wire.close()));
  }
}

/** Connects in every era. @throws the first error where no era can be met */
async function meet(options: VerifyServerOptions): Promise<{ met: Connected[]; absent: EraReport[] }> {
  const met: Connected[] = [];
  const absent: EraReport[] = [];
  const errors: SkillwireError[] = [];
  for (const era of options.eras) {
    try {
      const wire = narrowWire(impatientWire(await options.connect(era, options.signal)), options.parallel);
      const capability = decodeCapabilities(wire.capabilities);
      met.push({ era, wire, capability });
    } catch (error) {
      if (!(error instanceof SkillwireError) || isInterruption(error)) {
        await Promise.all(met.map(({ wire }) => wire.close()));
        throw error;
      }
      errors.push(error);
      const passing = ['UNREACHABLE', 'TIMED_OUT', 'NOT_AUTHORIZED'].includes(error.code);
      absent.push({ era, state: passing ? 'failed' : 'absent', message: error.message, skills: 0 });
    }
  }
  if (met.length === 0) throw mostTelling(errors);
  return { met, absent };
}

/** That a server does not speak the newer revision says less than why it does not speak the older one either. */
function mostTelling(errors: readonly SkillwireError[]): unknown {
  return errors.find(({ code }) => code !== 'BAD_ANSWER') ?? errors.at(-1);
}

/** A declaration in the wrong form is a failure, and the server is verified all the same; none at all is no server of skills. */
function requireExtension({ wire, capability, failures }: Met, assume: boolean): void {
  if (capability.declared || capability.remarks.length > 0) return;
  if (assume) {
    failures.add({ requirement: 'S-1', message: `the extension "${skillsExtensionId}" is not declared` });
    return;
  }
  const name = wire.serverInfo === undefined ? 'the server' : `the server ${quoteText(wire.serverInfo.name)}`;
  throw new SkillwireError(
    'NO_SKILLS_EXTENSION',
    `${name} does not declare that it serves skills; it must declare "${skillsExtensionId}" in capabilities.extensions, or try again with --assume-skills`,
  );
}

function met(connected: Connected, known: ReadonlySet<string>): Met {
  const failures = createFailureList({ known });
  failures.addRemarks(connected.capability.remarks);
  return { ...connected, failures };
}

async function verifyMet(
  connected: Connected,
  otherEras: readonly Connected[],
  absent: readonly EraReport[],
  options: VerifyServerOptions,
): Promise<VerifyReport> {
  const sample = createSample();
  const first = met(connected, new Set());
  const others = otherEras.map((other) => met(other, sample.known));
  requireExtension(first, options.assumeSkills === true);
  const channel = sample.watch(wireChannel(first.wire, options.deadlineMs));
  const catalogue = await verifyCatalogue({
    ...options,
    channel,
    onSkill(report) {
      sample.done(report);
      options.onSkill(report);
    },
  });
  sample.know(catalogue.failures.list);
  const incomplete = [
    ...catalogue.incomplete,
    ...absent.filter(({ state }) => state === 'failed').map(({ era, message }) => `${era}: ${message}`),
  ];
  const eras: EraReport[] = [checked(first, catalogue.counts.skills, everything(catalogue))];
  try {
    if (!options.signal.aborted) await checkMore(first, others, catalogue, sample, options, incomplete, eras);
  } catch (error) {
    if (!isInterruption(error)) throw error;
    incomplete.push(interruptedReason);
  }
  const merged = mergeEras(new Map([first, ...others].map(({ era, failures }) => [era, failures])));
  return {
    counts: catalogue.counts,
    status: statusOf(first),
    eras: [...eras, ...absent],
    failures: [...merged.list, ...catalogue.failures.list],
    requirements: added(merged.counts, catalogue.failures.counts, catalogue.skillFailures),
    incomplete,
  };
}

/** Errors and directories, then the other eras; where there is none, the sample is read a second time in this one. */
async function checkMore(
  first: Met,
  others: readonly Met[],
  catalogue: CatalogueReport,
  sample: Sample,
  options: VerifyServerOptions,
  incomplete: string[],
  eras: EraReport[],
): Promise<void> {
  const { deadlineMs, signal, digest } = options;
  const served = servedUris(sample.seen);
  const listing = catalogue.incomplete.length === 0 || catalogue.counts.skills > 0;
  options.onProgress?.('asking for what is not there, reading directories');
  for (const { era, wire, capability, failures } of [first, ...others]) {
    const { directoryRead } = capability;
    const why = await checkErrors({ wire, deadlineMs, signal, directoryRead, listing, served }, failures);
    if (why !== undefined) incomplete.push(`${era}: ${why}`);
  }
  if (first.capability.directoryRead) {
    const entries = sample.read().map(({ entry }) => entry);
    const why = await checkDirectories(entries, { wire: first.wire, deadlineMs, signal }, first.failures);
    if (why !== undefined) incomplete.push(why);
  }
  for (const { era, wire, capability, failures } of others) {
    if (!capability.declared && first.capability.declared) {
      failures.add({ requirement: 'S-1', message: 'the extension is declared in one protocol era only' });
      eras.push({ era, state: 'failed', message: 'the extension is not declared', skills: 0 });
      continue;
    }
    options.onProgress?.(`comparing the ${era} era`);
    const compare = { wire, deadlineMs, signal, digest };
    const { skills, cut } = await compareListing(catalogue, compare, failures);
    if (cut !== undefined && !incomplete.includes(cut)) incomplete.push(`${era}: ${cut}`);
    const again = await readAgain(sample.read(), compare, failures);
    incomplete.push(...again.map((reason) => `${era}: ${reason}`));
    const message = `listing compared, files of ${counted(sample.read().length)} read again`;
    eras.push(checked({ era, wire }, skills, message));
  }
  if (others.length > 0) return;
  const again = createFailureList({ known: sample.known });
  const { wire, failures } = first;
  incomplete.push(...(await readAgain(sample.read(), { wire, deadlineMs, signal, digest }, again)));
  for (const failure of again.list) failures.add(failure);
}

interface Sample {
  /** The first skills of the listing. */
  readonly seen: readonly DecodedSkill[];
  /** Those of them that were read. */
  read(): readonly DecodedSkill[];
  /** Keys of the failures that were told about them, and of those that were made known. */
  readonly known: ReadonlySet<string>;
  know(failures: readonly Failure[]): void;
  watch(channel: SkillChannel): SkillChannel;
  done(report: SkillReport): void;
}

function createSample(): Sample {
  const seen: DecodedSkill[] = [];
  const uris = new Set<string>();
  const unread = new Set<string>();
  const known = new Set<string>();
  const know = (failures: readonly Failure[]): void => {
    for (const failure of failures) known.add(failureKey(failure));
  };
  return {
    seen,
    known,
    read: () => seen.filter(({ entry }) => !unread.has(entry.uri)),
    watch: (channel) => ({
      ...channel,
      async *pages(signal) {
        for await (const page of channel.pages(signal)) {
          for (const skill of page.skills) {
            const { uri } = skill.entry;
            if (seen.length >= limits.verifier.sampledSkills || uris.has(uri)) continue;
            seen.push(skill);
            uris.add(uri);
          }
          yield page;
        }
      },
    }),
    know,
    done({ uri, status, failures }) {
      if (!uris.has(uri)) return;
      if (status === 'skipped') unread.add(uri);
      know(failures);
    },
  };
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

function everything({ counts, incomplete }: CatalogueReport): string {
  const { skills, skipped } = counts;
  const read = `${incomplete.length === 0 ? 'every file' : 'files'} of ${counted(skills - skipped)} read`;
  return skipped === 0 ? read : `${read}, ${skipped} unchanged`;
}

function checked({ era, wire }: Pick<Connected, 'era' | 'wire'>, skills: number, message: string): EraReport {
  return { era, state: 'checked', message, protocolVersion: wire.protocolVersion, skills };
}

function statusOf({ wire, capability }: Met): NonNullable<VerifyReport['status']> {
  const { protocolVersion, serverInfo, instructions } = wire;
  return {
    protocolVersion,
    skills: capability.declared,
    directoryRead: capability.directoryRead,
    ...(serverInfo === undefined ? {} : { serverInfo }),
    ...(instructions === undefined ? {} : { instructions }),
  };
}

function added(...maps: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  const sum = new Map<string, number>();
  for (const map of maps) for (const [id, count] of map) sum.set(id, (sum.get(id) ?? 0) + count);
  return sum;
}
