/** Exactly what a client passes to its model: the catalog within a budget, a loaded skill, and the hits of a search. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { SkillListing, TrialText } from '../../src/surfaces/page/page-data.ts';
import { query, useData } from './api.ts';
import { useServer } from './live-state.ts';
import { type Place, skillHref } from './router.ts';
import { counted, Failure, Foreign, Title, Waiting } from './text.tsx';

const budgets = [
  [2_000, '2,000 characters'],
  [8_000, '8,000 characters (a usual cap)'],
  [20_000, '20,000 characters'],
  [100_000, '100,000 characters'],
] as const;

export function TryView({ place }: { readonly place: Place }): JSX.Element {
  const { versions } = useServer();
  const [budget, setBudget] = useState<number>(8_000);
  const [shape, setShape] = useState('xml');
  const [uri, setUri] = useState(place.query.get('uri') ?? '');
  const [typed, setTyped] = useState(uri);
  const [text, setText] = useState('');
  const version = `${versions.catalog}-${versions.review}`;
  const catalog = useData<TrialText>(query('api/try/catalog', { characters: String(budget), shape }), version);
  const listing = useData<SkillListing>(query('api/skills', { q: typed, limit: '20' }), version);
  const loaded = useData<TrialText>(uri === '' ? undefined : query('api/try/load', { uri }), version);
  const skills = listing.data?.skills ?? [];
  useEffect(() => {
    const found = skills.find((row) => row.uri === typed || row.name === typed);
    if (found !== undefined) setUri(found.uri);
  }, [typed, skills]);
  return (
    <>
      <Title of="try">Try it</Title>
      <p>An agent sees exactly this: the same code writes it.</p>
      <section class="card" aria-labelledby="try-catalog">
        <h2 id="try-catalog">The catalog</h2>
        <div class="pickers">
          <label>
            Budget{' '}
            <select value={budget} onChange={(event) => setBudget(Number(event.currentTarget.value))}>
              {budgets.map(([value, words]) => (
                <option value={value}>{words}</option>
              ))}
            </select>
          </label>
          <label>
            Form{' '}
            <select value={shape} onChange={(event) => setShape(event.currentTarget.value)}>
              <option value="xml">XML</option>
              <option value="markdown">Markdown</option>
            </select>
          </label>
        </div>
        <Output loaded={catalog} what="the catalog" />
      </section>
      <section class="card" aria-labelledby="try-load">
        <h2 id="try-load">
          Loading a skill (<code>load_skill</code>)
        </h2>
        <label class="comment">
          Skill
          <input
            type="text"
            list="try-skills"
            value={typed}
            placeholder="Name or URI"
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
        <datalist id="try-skills">
          {skills.map((row) => (
            <option value={row.uri}>{row.name}</option>
          ))}
        </datalist>
        {uri === '' ? null : <Output loaded={loaded} what="the skill" />}
      </section>
      <section class="card" aria-labelledby="try-search">
        <h2 id="try-search">Searching</h2>
        <label class="comment">
          Search query
          <input type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        {text.trim() === '' ? null : <Hits text={text} />}
      </section>
    </>
  );
}

function Output({
  loaded,
  what,
}: {
  readonly loaded: { readonly data?: TrialText; readonly error?: Error };
  readonly what: string;
}): JSX.Element {
  const { data, error } = loaded;
  if (error !== undefined) return <Failure error={error} what={what} />;
  if (data === undefined) return <Waiting what={what} />;
  return (
    <>
      <p class="quiet" role="status">
        {data.characters.toLocaleString('en')} characters, about {counted(data.tokens, 'token')}
        {data.shown === undefined
          ? ''
          : `; ${counted(data.shown, 'skill')} shown, ${data.leftOut?.length ?? 0} left out`}
        {data.isError ? '; this is an error' : ''}
      </p>
      <pre class="source" tabIndex={0}>
        <Foreign text={data.text} />
      </pre>
    </>
  );
}

interface Hit {
  readonly uri: string;
  readonly name: string;
}

/** Ranked as the tool `search_skills` ranks them. */
function Hits({ text }: { readonly text: string }): JSX.Element {
  const ranked = useData<{ hits?: readonly Hit[] }>(query('api/search', { q: text }));
  const hits = ranked.data?.hits ?? [];
  if (hits.length === 0) return <p class="empty">No skills found. Try fewer words.</p>;
  return (
    <ol>
      {hits.map(({ uri, name }) => (
        <li>
          <a href={skillHref(uri)}>
            <Foreign text={name} />
          </a>{' '}
          <span class="quiet">
            <Foreign text={uri} />
          </span>
        </li>
      ))}
    </ol>
  );
}
