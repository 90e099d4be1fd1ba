/** One skill: what it says, what it brings, where it comes from, and how to use it. */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { SkillDetail } from '../../src/surfaces/page/page-data.ts';
import { query, useData } from './api.ts';
import { stateBadge } from './catalogue.tsx';
import { ChangesPanel } from './changes.tsx';
import { HostPicker } from './connect.tsx';
import { DecisionPanel } from './decide.tsx';
import { FileTree } from './file-tree.tsx';
import { FileViewer } from './file-viewer.tsx';
import { useServer } from './live-state.ts';
import { type Place, skillHref } from './router.ts';
import { Asks, Provenance, UseIt } from './skill-facts.tsx';
import { Badge, CopyButton, counted, Failure, Foreign, plainText, Waiting } from './text.tsx';

const tabs = [
  ['read', 'Read'],
  ['changes', 'Changes and approval'],
  ['connect', 'Use it'],
  ['entry', 'JSON'],
] as const;

export function SkillView({ place }: { readonly place: Place }): JSX.Element {
  const { versions, session } = useServer();
  const { data, error } = useData<SkillDetail>(
    query('api/skill', { uri: place.item }),
    `${versions.catalogue}-${versions.review}-${session.trusted}`,
  );
  const name = data === undefined ? '' : plainText(data.row.name);
  useEffect(() => {
    if (name !== '') document.title = `${name} · Skillwire`;
  }, [name]);
  if (error !== undefined)
    return (
      <>
        <p>
          <a href="#/">All skills</a>
        </p>
        <Failure error={error} what="this skill" />
      </>
    );
  if (data === undefined) return <Waiting what="the skill" />;
  return <Skill detail={data} place={place} />;
}

function Skill({ detail, place }: { readonly detail: SkillDetail; readonly place: Place }): JSX.Element {
  const { row, findings } = detail;
  const tab = place.query.get('tab') ?? 'read';
  const file = detail.files.find(({ uri }) => uri === place.item) ?? detail.files.find(({ uri }) => uri === row.uri);
  return (
    <article class="skill">
      <p class="crumbs">
        <a href="#/">All skills</a>
      </p>
      <header>
        <h1>
          <Foreign text={row.name} />
        </h1>
        <p class="badges">
          {stateBadge(row)}
          {row.verified ? (
            <Badge kind="good" title="Every file has a digest that agents check">
              has digests
            </Badge>
          ) : (
            <Badge kind="live" title="A running program makes it per request; nothing can be checked beforehand">
              live, cannot be verified
            </Badge>
          )}
          {row.scripts > 0 ? <Badge kind="plain">{counted(row.scripts, 'script')}</Badge> : null}
          {row.tools > 0 ? <Badge kind="plain">asks for {counted(row.tools, 'tool')}</Badge> : null}
        </p>
        <p class="lead">
          <Foreign text={String((detail.entry as { frontmatter: { description: string } }).frontmatter.description)} />
        </p>
        <p class="address">
          <code>
            <Foreign text={row.uri} />
          </code>
          <CopyButton text={row.uri} label="Copy URI" />
        </p>
      </header>
      {row.state === 'served' ? null : (
        <div class="notice warning">
          {row.agentsGet === 'approved' ? (
            'Agents still get the approved version. This newer one is waiting.'
          ) : row.state === 'waiting' ? (
            'Agents do not get this skill. It is waiting for approval.'
          ) : (
            <>
              Agents do not get this skill. It is {row.state}: <Foreign text={row.why?.reason ?? ''} />.
            </>
          )}{' '}
          {tab === 'changes' ? null : <a href={skillHref(place.item, { tab: 'changes' })}>Review</a>}
        </div>
      )}
      {detail.collisions.length > 0 ? (
        <div class="notice warning">
          Other skills have the same name:{' '}
          {detail.collisions.map(({ uri }, index) => (
            <>
              {index === 0 ? '' : ', '}
              <a href={skillHref(uri)}>
                <Foreign text={uri} />
              </a>
            </>
          ))}
        </div>
      ) : null}
      {findings.map((found) => (
        <div class={`notice ${found.level}`}>
          <strong>{found.level}:</strong> <Foreign text={found.message} />. <em>To do:</em>{' '}
          <Foreign text={found.remedy} />
          {found.file === undefined ? null : (
            <code class="quiet">
              {' '}
              <Foreign text={`${found.file}${found.line === undefined ? '' : `:${found.line}`}`} />
            </code>
          )}
        </div>
      ))}
      <nav class="tabs" aria-label="About this skill">
        {tabs.map(([id, title]) => (
          <a
            href={skillHref(place.item, id === 'read' ? {} : { tab: id })}
            aria-current={tab === id ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      {tab === 'changes' ? (
        // What changed is to be read before it is decided about.
        row.approved === 'changed' ? (
          <>
            <ChangesPanel detail={detail} />
            <DecisionPanel detail={detail} />
          </>
        ) : (
          <>
            <DecisionPanel detail={detail} />
            <ChangesPanel detail={detail} />
          </>
        )
      ) : tab === 'connect' ? (
        <>
          <UseIt detail={detail} />
          <h2>Or connect the agent to all skills</h2>
          <HostPicker />
        </>
      ) : tab === 'entry' ? (
        <Entry entry={detail.entry} />
      ) : (
        <div class="columns">
          <div class="reading">
            {file === undefined ? <p>No files.</p> : <FileViewer {...{ detail, file, place }} />}
          </div>
          <aside>
            <FileTree detail={detail} current={file?.uri ?? ''} />
            <Asks asks={detail.asks} />
            <Provenance detail={detail} />
          </aside>
        </div>
      )}
    </article>
  );
}

function Entry({ entry }: { readonly entry: unknown }): JSX.Element {
  const text = JSON.stringify(entry, null, 2);
  return (
    <figure class="paste">
      <figcaption>
        <span>The entry, as agents get it from skills/get</span>
        <CopyButton text={text} />
      </figcaption>
      <pre tabIndex={0}>
        <Foreign text={text} />
      </pre>
    </figure>
  );
}
