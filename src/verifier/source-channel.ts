/** Verifies an origin that does not speak the final extension: a folder, a site or an older server, against its own entries. */
import { SkillwireError } from '../errors.ts';
import type { Finding } from '../skill/finding.ts';
import type { RefusedEntry, SkillSource } from '../sources/skill-source.ts';
import type { VerifyReport } from './report.ts';
import type { SkillChannel } from './skill-channel.ts';
import { type VerifyCatalogOptions, verifyCatalog } from './verify-catalog.ts';

export function sourceChannel(source: SkillSource): SkillChannel {
  return {
    hasMediaTypes: false,
    hasGet: false,
    async *pages(signal) {
      for await (const { skills, refused = [], findings } of source.list({ signal, fresh: true })) {
        const cuts = findings.filter(({ rule }) => rule === 'origin-listing-cut').map(({ message }) => message);
        yield {
          skills: skills.filter(({ listed }) => listed),
          refused: refused.filter(isAnswered).map((entry) => ({
            ...entry,
            faults: entry.faults.map((message) => ({ requirement: entry.requirement ?? 'S-5', message })),
          })),
          // Only problems; warnings and notes are for `validate`.
          remarks: findings
            .filter(({ level, rule }) => level === 'problem' && rule !== 'origin-entry-refused')
            .map((finding) => ({ requirement: 'S-5', message: problemText(finding) })),
          ...(cuts.length === 0 ? {} : { cut: cuts.join('; ') }),
        };
      }
    },
    async get(uri, signal) {
      const skill = await source.get(uri, { signal });
      return skill === undefined ? undefined : { skill, remarks: [] };
    },
    async read(uri, maxBytes, signal) {
      const file = await source.open(uri, { signal, maxBytes });
      if (signal.aborted) throw new SkillwireError('INTERRUPTED', 'The verification was interrupted. Run it again.');
      return file === undefined ? undefined : { bytes: file.bytes };
    },
  };
}

/** A file without an answer is not a failure of the origin; the page reports it as missing. */
function isAnswered({ code }: RefusedEntry): boolean {
  return code !== 'UNREACHABLE' && code !== 'TIMED_OUT';
}

function problemText({ file, line, message, rule }: Finding): string {
  const place = file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}: `;
  return `${place}not served: ${message} (${rule})`;
}

export async function verifySource(
  source: SkillSource,
  options: Omit<VerifyCatalogOptions, 'channel'>,
): Promise<VerifyReport> {
  const catalog = await verifyCatalog({ ...options, channel: sourceChannel(source) });
  // The dialect of a server is known after its listing.
  const status = await source.status?.({ signal: options.signal });
  const requirements = new Map(catalog.skillFailures);
  for (const [id, count] of catalog.failures.counts) requirements.set(id, (requirements.get(id) ?? 0) + count);
  return {
    status,
    counts: catalog.counts,
    eras: [],
    failures: catalog.failures.list,
    requirements,
    incomplete: catalog.incomplete,
  };
}
