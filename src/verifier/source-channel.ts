/** Any source of skills as a channel: folders, memory and whatever else is no MCP server. */
import { SkillwireError } from '../errors.ts';
import type { Finding } from '../skill/finding.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import type { SkillChannel } from './skill-channel.ts';

export function sourceChannel(source: SkillSource): SkillChannel {
  return {
    tellsTypes: false,
    async *pages(signal) {
      for await (const { skills, refused = [], findings } of source.list({ signal, fresh: true })) {
        yield {
          skills: skills.filter(({ listed }) => listed),
          refused: refused.map((entry) => ({
            ...entry,
            faults: entry.faults.map((message) => ({ requirement: 'S-5', message })),
          })),
          // What keeps a skill or a file from being served; warnings and notes are for `validate`.
          remarks: findings
            .filter(({ level }) => level === 'problem')
            .map((finding) => ({ requirement: 'S-5', message: problemText(finding) })),
        };
      }
    },
    async get(uri, signal) {
      const skill = await source.get(uri, { signal });
      return skill === undefined ? undefined : { skill, remarks: [] };
    },
    async read(uri, maxBytes, signal) {
      const file = await source.open(uri, { signal, maxBytes });
      if (signal.aborted) throw new SkillwireError('INTERRUPTED', 'the verification was interrupted');
      return file === undefined ? undefined : { bytes: file.bytes };
    },
  };
}

function problemText({ file, line, message, rule }: Finding): string {
  const place = file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}: `;
  return `${place}not served: ${message} (${rule})`;
}
