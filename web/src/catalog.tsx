/** The list of skills, and the problems above it. The server computes search, filters, order and groups. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { FacetId, SkillListing } from '../../src/surfaces/page/page-data.ts';
import { mcpAddress } from './api.ts';
import { Findings } from './findings.tsx';
import { useListing } from './listing-pages.ts';
import { useServer } from './live-state.ts';
import { type Place, replaceQuery, skillHref } from './router.ts';
import { SkillLine } from './skill-line.tsx';
import { CopyButton, counted, Failure, Foreign, Title, Waiting } from './text.tsx';
import { type GroupHead, VirtualList } from './virtual-list.tsx';

export function CatalogView({ place }: { readonly place: Place }): JSX.Element {
  const { info } = useServer();
  const { waiting, listed } = info.counts;
  return (
    <>
      <section class="hero">
        <Title of="catalog">{counted(listed, 'skill')} for your agents</Title>
        <p>
          A skill is a folder with instructions that an agent loads when it needs them. This server gives them to every
          agent that speaks MCP, at one address:
        </p>
        <p class="address">
          <code>{mcpAddress}</code>
          <CopyButton text={mcpAddress} label="Copy address" />
          <a class="button primary small" href="#/connect">
            Add to my agent
          </a>
        </p>
        {waiting === 0 ? null : (
          <p>
            <a href="#/review">
              {counted(waiting, 'skill')} {waiting === 1 ? 'is' : 'are'} waiting for approval
            </a>
            . Agents get approved versions only.
          </p>
        )}
      </section>
      <Findings />
      <Catalog place={place} />
    </>
  );
}

interface Facet {
  readonly id: FacetId;
  readonly label: string;
  readonly hint: string;
  /** Only if a policy asks for approval. */
  readonly approval?: true;
}

const facets: readonly Facet[] = [
  { id: 'not-served', label: 'Not served', hint: 'Agents do not get it' },
  {
    id: 'waiting',
    label: 'Waiting',
    hint: 'Agents cannot load this version until a person approves it',
    approval: true,
  },
  { id: 'denied', label: 'Denied', hint: 'A person or a rule denied this version' },
  { id: 'disabled', label: 'Disabled', hint: 'A person disabled the skill or its origin' },
  { id: 'approved', label: 'Approved', hint: 'A person approved exactly these files', approval: true },
  { id: 'not-approved', label: 'Not approved', hint: 'No approval for the current version', approval: true },
  { id: 'verified', label: 'Verified', hint: 'Every file has a digest' },
  { id: 'live', label: 'Live', hint: 'A running program makes it per request' },
  { id: 'scripts', label: 'Has scripts', hint: 'Contains executable files' },
  { id: 'tools', label: 'Asks for tools', hint: 'Names tools in allowed-tools' },
  { id: 'findings', label: 'Has findings', hint: 'A problem, warning or note is about it' },
  { id: 'same-name', label: 'Same name', hint: 'Several skills have this name' },
  { id: 'unlisted', label: 'Not listed', hint: 'Answered by its URI only' },
];

const sorts = [
  ['name', 'Name'],
  ['updated', 'Last update'],
  ['size', 'Size'],
] as const;
const groupings = [
  ['', 'No groups'],
  ['origin', 'By origin'],
  ['prefix', 'By prefix'],
] as const;

/** A search starts after this pause in typing. */
const typingMs = 120;

function Catalog({ place }: { readonly place: Place }): JSX.Element {
  const { info, versions, session } = useServer();
  const [text, setText] = useState(place.query.get('q') ?? '');
  const [typed, setTyped] = useState(text.trim());
  const [chosen, setChosen] = useState<readonly string[]>(() => place.query.getAll('is'));
  const [origin, setOrigin] = useState(place.query.get('origin') ?? '');
  const [sort, setSort] = useState(place.query.get('sort') ?? '');
  const [group, setGroup] = useState(place.query.get('group') ?? '');
  const [open, setOpen] = useState<readonly string[]>([]);
  const [active, setActive] = useState(-1);
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => {
    const timer = setTimeout(() => setTyped(text.trim()), typingMs);
    return () => clearTimeout(timer);
  }, [text]);

  const filters = new URLSearchParams([
    ...(typed === '' ? [] : [['q', typed]]),
    ...chosen.map((id) => ['is', id]),
    ...(origin === '' ? [] : [['origin', origin]]),
    ...(sort === '' ? [] : [['sort', sort]]),
    ...(group === '' ? [] : [['group', group]]),
  ]);
  const search = `${filters}`;
  useEffect(() => {
    replaceQuery(new URLSearchParams(search));
    setActive(-1);
    setOpen([]);
  }, [search]);

  const shownSearch = `${new URLSearchParams([...filters, ...open.map((uri) => ['open', uri])])}`;
  const { listing, error, rowAt, show } = useListing(
    shownSearch,
    `${versions.catalog}-${versions.review}-${session.trusted}`,
  );
  const heads = useMemo(() => headsOf(listing), [listing]);
  const total = listing?.total ?? 0;

  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const row = rowAt(Math.max(0, active));
    if (step !== 0) {
      event.preventDefault();
      setActive((now) => Math.max(-1, Math.min(total - 1, now + step)));
    } else if (event.key === 'Enter' && row !== undefined) location.hash = skillHref(row.uri);
    else if (event.key === 'Escape') setText('');
  };
  const toggle = (id: string): void =>
    setChosen((now) => (now.includes(id) ? now.filter((one) => one !== id) : [...now, id]));
  const toggleSimilar = (uri: string): void =>
    setOpen((now) => (now.includes(uri) ? now.filter((one) => one !== uri) : [...now, uri]));

  return (
    <section aria-label="Catalog">
      <div class="finder">
        <input
          ref={field}
          type="search"
          class="search"
          placeholder="Search skills   ( / )"
          aria-label="Search skills"
          aria-describedby="found"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {(listing?.origins.length ?? 0) > 1 || origin !== '' ? (
          <select aria-label="Origin" value={origin} onChange={(event) => setOrigin(event.currentTarget.value)}>
            <option value="">All origins</option>
            {(listing?.origins ?? [origin]).map((label) => (
              <option value={label}>{label}</option>
            ))}
          </select>
        ) : null}
        <select aria-label="Sort by" value={sort} onChange={(event) => setSort(event.currentTarget.value)}>
          <option value="">{typed === '' ? 'Sort: name' : 'Sort: best match'}</option>
          {sorts.map(([id, label]) =>
            id === 'name' && typed === '' ? null : <option value={id}>{`Sort: ${label.toLowerCase()}`}</option>,
          )}
        </select>
        <select aria-label="Group" value={group} onChange={(event) => setGroup(event.currentTarget.value)}>
          {groupings.map(([id, label]) => (
            <option value={id}>{label}</option>
          ))}
        </select>
        <fieldset class="facets" aria-label="Filters">
          {facets.map((facet) => {
            const count = listing?.facets[facet.id] ?? 0;
            const isChosen = chosen.includes(facet.id);
            // A filter that changes nothing is not shown.
            const isIdle = count === 0 || (facet.id === 'verified' && count === listing?.found);
            if ((facet.approval && !info.features.approval) || (isIdle && !isChosen)) return null;
            return (
              <button
                type="button"
                class={`chip ${facet.id}`}
                title={facet.hint}
                aria-pressed={isChosen}
                onClick={() => toggle(facet.id)}
              >
                {facet.label} <span class="count">{count.toLocaleString('en')}</span>
              </button>
            );
          })}
        </fieldset>
      </div>
      {error === undefined ? null : <Failure error={error} what="the skills" />}
      <p class="quiet found" id="found" role="status">
        {listing === undefined ? '' : foundText(listing)}
      </p>
      {listing === undefined ? error === undefined && <Waiting what="the skills" /> : null}
      <VirtualList
        count={total}
        label="Skills"
        active={active}
        heads={heads}
        onRange={show}
        keyOf={(index) => rowAt(index)?.uri ?? `line ${index}`}
        row={(index) => {
          const row = rowAt(index);
          if (row === undefined) return <div class="line quiet">Loading…</div>;
          return (
            <div class={row.isSimilar ? 'similar-line' : 'whole-line'}>
              <SkillLine row={row} active={index === active} />
              {row.similar === undefined ? null : (
                <button
                  type="button"
                  class="button small similar"
                  title="Copies and other versions of this skill"
                  aria-expanded={open.includes(row.uri)}
                  onClick={() => toggleSimilar(row.uri)}
                >
                  {open.includes(row.uri) ? `Hide ${row.similar} similar` : `and ${row.similar} similar`}
                </button>
              )}
            </div>
          );
        }}
      />
      {listing?.total === 0 ? <p class="empty">{emptyText(typed, listing.all)}</p> : null}
    </section>
  );
}

function headsOf(listing: SkillListing | undefined): readonly GroupHead[] {
  let at = 0;
  return (listing?.groups ?? []).map(({ name, count }) => {
    const head = {
      at,
      title: (
        <>
          <strong>{name === '' ? 'Others' : <Foreign text={name} />}</strong>{' '}
          <span class="quiet">{counted(count, 'skill')}</span>
        </>
      ),
    };
    at += count;
    return head;
  });
}

function foundText({ found, all, search }: SkillListing): string {
  const total = found === all ? '' : ` of ${all.toLocaleString('en')}`;
  const wait = search?.complete === false ? ' Still reading texts: search again for more.' : '';
  return `${counted(found, 'skill')}${total}.${wait}`;
}

function emptyText(text: string, total: number): string {
  if (total === 0) return 'No skills yet. Add a folder with a SKILL.md to a folder that this server serves.';
  return text === '' ? 'No skills match these filters.' : `No skills match “${text}”. Try fewer words.`;
}
