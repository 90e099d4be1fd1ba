/** What this server gives to agents: search, facets, and everything that keeps something from being served. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { SkillListing, SkillRow } from '../../src/surfaces/page/page-data.ts';
import { type AlikeItem, type SearchAnswer, withAlike } from './alike.ts';
import { mcpAddress, query, useData } from './api.ts';
import { facets, findingName, isNotServed, itemsOf, type ListItem, search } from './filter-rows.ts';
import { useServer } from './live-state.ts';
import { type Place, replaceQuery, skillHref } from './router.ts';
import { Badge, CopyButton, counted, Failure, Foreign, size, Waiting } from './text.tsx';
import { VirtualList } from './virtual-list.tsx';

export function CatalogueView({ place }: { readonly place: Place }): JSX.Element {
  const { info, versions, session } = useServer();
  const { data, error } = useData<SkillListing>(
    'api/skills',
    `${versions.catalogue}-${versions.review}-${session.trusted}`,
  );
  return (
    <>
      <section class="hero">
        <h1>{counted(info.counts.listed, 'skill')} for your agents</h1>
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
        {info.counts.waiting === 0 ? null : (
          <p>
            <a href="#/review">
              {counted(info.counts.waiting, 'skill')} wait{info.counts.waiting === 1 ? 's' : ''} for approval
            </a>
            . Agents get what was approved, and nothing else.
          </p>
        )}
      </section>
      {error !== undefined ? <Failure error={error} what="the skills" /> : null}
      {data === undefined ? error === undefined && <Waiting what="the skills" /> : <Catalogue {...{ data, place }} />}
    </>
  );
}

function Catalogue({ data, place }: { readonly data: SkillListing; readonly place: Place }): JSX.Element {
  const [text, setText] = useState(place.query.get('q') ?? '');
  const [chosen, setChosen] = useState<readonly string[]>(() => place.query.getAll('is'));
  const [origin, setOrigin] = useState(place.query.get('origin') ?? '');
  const [active, setActive] = useState(-1);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const field = useRef<HTMLInputElement>(null);
  const hits = useHits(text);

  useEffect(() => {
    const query = new URLSearchParams();
    if (text !== '') query.set('q', text);
    for (const id of chosen) query.append('is', id);
    if (origin !== '') query.set('origin', origin);
    replaceQuery(query);
    setActive(-1);
  }, [text, chosen, origin]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const typing = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  const all = useMemo(() => itemsOf(data), [data]);
  const found = useMemo(
    () => search(all, text).filter((item) => origin === '' || (item.kind === 'skill' && item.row.origin === origin)),
    [all, text, origin],
  );
  const shown = useMemo(() => {
    const wanted = facets.filter(({ id }) => chosen.includes(id));
    return wanted.length === 0 ? found : found.filter((item) => wanted.every(({ test }) => test(item)));
  }, [found, chosen]);

  const lines = useMemo(() => withAlike(shown, hits, open), [shown, hits, open]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setActive((now) => Math.max(-1, Math.min(lines.length - 1, now + step)));
    } else if (event.key === 'Enter') {
      const item = lines[Math.max(0, active)];
      if (item?.kind === 'skill') location.hash = skillHref(item.row.uri);
      else if (item?.kind === 'alike') toggleAlike(item.uri);
    } else if (event.key === 'Escape') setText('');
  };

  const toggle = (id: string): void =>
    setChosen((now) => (now.includes(id) ? now.filter((one) => one !== id) : [...now, id]));

  const toggleAlike = (uri: string): void =>
    setOpen((now) => new Set(now.has(uri) ? [...now].filter((one) => one !== uri) : [...now, uri]));

  return (
    <section aria-label="Catalogue">
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
        {data.origins.length > 1 ? (
          <select aria-label="Origin" value={origin} onChange={(event) => setOrigin(event.currentTarget.value)}>
            <option value="">All origins</option>
            {data.origins.map((label) => (
              <option value={label}>{label}</option>
            ))}
          </select>
        ) : null}
        <fieldset class="facets" aria-label="Filters">
          {facets.map((facet) => {
            const count = found.filter((item) => facet.test(item)).length;
            const isChosen = chosen.includes(facet.id);
            if (count === 0 && !isChosen) return null;
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
      <p class="quiet found" id="found" role="status">
        {foundText(shown, all)}
        {data.hiddenFindings > 0
          ? ` ${counted(data.hiddenFindings, 'finding')} not shown here: run skillwire validate on the server.`
          : ''}
      </p>
      <VirtualList
        count={lines.length}
        label="Skills"
        active={active}
        keyOf={(index) => keyOf(lines[index], index)}
        row={(index) => {
          const item = lines[index];
          if (item === undefined) return null;
          if (item.kind === 'alike')
            return <AlikeLine item={item} active={index === active} onToggle={() => toggleAlike(item.uri)} />;
          return item.kind === 'skill' ? (
            <SkillLine row={item.row} active={index === active} />
          ) : (
            <FindingLine item={item} active={index === active} />
          );
        }}
      />
      {shown.length === 0 ? <p class="empty">{emptyText(text, all.length)}</p> : null}
    </section>
  );
}

/** How long somebody does not type before the server is asked. */
const typingMs = 300;

/** Which skills the server takes for one: its search knows copies and versions of a skill. */
function useHits(text: string): SearchAnswer['hits'] {
  const { versions } = useServer();
  const [asked, setAsked] = useState(text.trim());
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text.trim()), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  // Without an answer every skill has a line of its own.
  const path = asked === '' ? undefined : query('api/search', { q: asked, limit: '50' });
  const { data } = useData<SearchAnswer>(path, versions.catalogue);
  return useMemo(() => (text.trim() === '' ? [] : (data?.hits ?? [])), [text, data]);
}

function keyOf(item: ListItem | AlikeItem | undefined, index: number): string {
  if (item?.kind === 'alike') return `alike ${item.uri}`;
  if (item?.kind === 'skill') return item.row.uri;
  return item === undefined ? String(index) : `${item.finding.rule} ${item.hay} ${index}`;
}

function foundText(shown: readonly ListItem[], all: readonly ListItem[]): string {
  const skills = shown.filter(({ kind }) => kind === 'skill').length;
  const findings = shown.length - skills;
  const others = findings === 0 ? '' : ` and ${counted(findings, 'finding')}`;
  const total = all.length === shown.length ? '' : ` of ${all.length.toLocaleString('en')}`;
  return `${counted(skills, 'skill')}${others}${total}.`;
}

function emptyText(text: string, total: number): string {
  if (total === 0) return 'No skills yet. Add a folder with a SKILL.md to a folder that this server serves.';
  return text === '' ? 'No skills match these filters.' : `No skills match “${text}”. Try fewer words.`;
}

/** The state of a skill, if it is not served; else whether it is approved. */
export function stateBadge({
  state,
  approved,
  agentsGet,
  why,
}: Pick<SkillRow, 'state' | 'approved' | 'agentsGet' | 'why'>): JSX.Element | null {
  if (state === 'denied' || state === 'disabled')
    return (
      <Badge kind="bad" title={`Agents do not get it: ${why?.reason ?? state}`}>
        {state}
      </Badge>
    );
  if (state === 'waiting')
    return agentsGet === 'approved' ? (
      <Badge kind="warn" title="Agents still get the approved version">
        new version waiting
      </Badge>
    ) : (
      <Badge kind="bad" title="Agents do not get it until a person approves it">
        waiting for approval
      </Badge>
    );
  if (approved === 'yes')
    return (
      <Badge kind="good" title="A person approved exactly these files">
        approved
      </Badge>
    );
  if (approved === 'changed')
    return (
      <Badge kind="warn" title="Changed since the last decision">
        changed
      </Badge>
    );
  return null;
}

function SkillLine({ row, active }: { readonly row: SkillRow; readonly active: boolean }): JSX.Element {
  return (
    <a class={`line${active ? ' active' : ''}${row.state === 'disabled' ? ' off' : ''}`} href={skillHref(row.uri)}>
      <span class="head">
        <strong>
          <Foreign text={row.name} />
        </strong>
        <span class="badges">
          {stateBadge(row)}
          {row.verified ? null : <Badge kind="live">live</Badge>}
          {row.scripts > 0 ? (
            <Badge kind="plain" title="Brings files that can be executed">
              {counted(row.scripts, 'script')}
            </Badge>
          ) : null}
          {row.tools > 0 ? (
            <Badge kind="plain" title="Asks for tools">
              {counted(row.tools, 'tool')}
            </Badge>
          ) : null}
          {row.problems + row.warnings > 0 ? (
            <Badge kind="warn">{counted(row.problems + row.warnings, 'finding')}</Badge>
          ) : null}
          {row.collides ? (
            <Badge kind="warn" title="Several skills have this name; each is its own">
              same name
            </Badge>
          ) : null}
          {row.listed ? null : <Badge kind="plain">not listed</Badge>}
        </span>
      </span>
      <span class="about">
        <Foreign text={row.description} />
      </span>
      <span class="where quiet">
        <Foreign text={row.uri} />
        {row.verified ? ` · ${counted(row.files, 'file')}, ${size(row.bytes)}` : ' · made per request'}
      </span>
    </a>
  );
}

function AlikeLine({
  item: { count, isOpen },
  active,
  onToggle,
}: {
  readonly item: AlikeItem;
  readonly active: boolean;
  readonly onToggle: () => void;
}): JSX.Element {
  return (
    <div class={`line alike${active ? ' active' : ''}`}>
      <button
        type="button"
        class="small"
        title="Copies and other versions of this skill"
        aria-expanded={isOpen}
        onClick={onToggle}
      >
        {isOpen ? `Hide ${count} similar` : `and ${count} similar`}
      </button>
    </div>
  );
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function FindingLine({
  item,
  active,
}: {
  readonly item: Extract<ListItem, { kind: 'finding' }>;
  readonly active: boolean;
}): JSX.Element {
  const { finding } = item;
  const place =
    finding.file === undefined
      ? finding.skill
      : `${finding.file}${finding.line === undefined ? '' : `:${finding.line}`}`;
  return (
    <div class={`line finding ${finding.level}${active ? ' active' : ''}`}>
      <span class="head">
        <strong>
          <Foreign text={findingName(finding) || finding.rule} />
        </strong>
        <span class="badges">
          <Badge kind={isNotServed(finding) ? 'bad' : 'warn'}>
            {isNotServed(finding) ? 'not served' : finding.level}
          </Badge>
        </span>
      </span>
      <span class="about">
        {[finding, ...item.more].map(({ message, remedy }) => (
          <>
            <Foreign text={sentence(message)} />. <strong>To do:</strong> <Foreign text={remedy} />.{' '}
          </>
        ))}
      </span>
      <span class="where quiet">
        <Foreign text={place ?? finding.rule} />
      </span>
    </div>
  );
}
