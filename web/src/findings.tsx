/** Findings of the server: problems first and in full, with the same counts as in the terminal. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Finding, FindingCounts, FindingLevel } from '../../src/skill/finding.ts';
import type { FindingListing } from '../../src/surfaces/page/page-data.ts';
import { query, useData } from './api.ts';
import { useServer } from './live-state.ts';
import { skillHref } from './router.ts';
import { counted, Failure, Foreign } from './text.tsx';

/** Shown from the start; a newcomer sees the list of skills without scrolling. */
const few = 3;
const many = 100;

const levels: readonly (readonly [FindingLevel, keyof FindingCounts])[] = [
  ['problem', 'problems'],
  ['warning', 'warnings'],
  ['note', 'notes'],
];

export function Findings(): JSX.Element | null {
  const { info, session } = useServer();
  const { notServed, ...counts } = info.counts;
  const [level, setLevel] = useState<FindingLevel | undefined>();
  const shown = level ?? (counts.problems > 0 ? 'problem' : undefined);
  if (!session.trusted || counts.problems + counts.warnings + counts.notes === 0) return null;
  return (
    <section class={`findings${counts.problems > 0 ? ' has-problems' : ''}`} aria-label="Findings">
      <div class="levels">
        {levels.map(([one, key]) =>
          counts[key] === 0 ? null : (
            <button
              type="button"
              class={`chip ${one}`}
              aria-expanded={shown === one}
              onClick={() => setLevel(shown === one && counts.problems === 0 ? undefined : one)}
            >
              {counted(counts[key], one)}
            </button>
          ),
        )}
        {notServed === 0 ? null : (
          <span class="quiet not-served">{counted(notServed, 'skill')} not served because of problems</span>
        )}
      </div>
      {shown === undefined ? null : <Level key={shown} level={shown} />}
    </section>
  );
}

function Level({ level }: { readonly level: FindingLevel }): JSX.Element | null {
  const { versions } = useServer();
  const [limit, setLimit] = useState(few);
  const { data, error } = useData<FindingListing>(
    query('api/findings', { level, limit: String(limit) }),
    `${versions.catalog}-${versions.review}`,
  );
  if (error !== undefined) return <Failure error={error} what="the findings" />;
  if (data === undefined) return null;
  const more = data.total - data.findings.length;
  return (
    <>
      <ul>
        {data.findings.map((found) => (
          <FindingItem found={found} />
        ))}
      </ul>
      {more === 0 ? null : limit === few ? (
        <button type="button" class="button small" onClick={() => setLimit(many)}>
          Show {more > many - few ? `${many - few} more of ${more.toLocaleString('en')}` : `all ${data.total}`}
        </button>
      ) : (
        <p class="quiet">
          {counted(more, `more ${level}`)}. Run <code>skillwire validate</code> on the server to see all.
        </p>
      )}
    </>
  );
}

export function FindingItem({ found }: { readonly found: Finding }): JSX.Element {
  const { level, message, remedy, file, line, skill } = found;
  return (
    <li class={`finding ${level}`}>
      <p>
        <Foreign text={sentence(message)} /> <strong>To do:</strong> <Foreign text={`${remedy.replace(/\.$/, '')}.`} />
      </p>
      <p class="place">
        {file === undefined ? null : (
          <code>
            <Foreign text={`${file}${line === undefined ? '' : `:${line}`}`} />
          </code>
        )}
        {skill === undefined ? null : (
          <a href={skillHref(skill)}>
            <Foreign text={skill} />
          </a>
        )}
      </p>
    </li>
  );
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;
}
