/** One skill: how to install it, its text and files, its requests and its origin. */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { SkillDetail } from '../../src/surfaces/page/page-data.ts';
import { query, useData } from './api.ts';
import { ChangesPanel } from './changes.tsx';
import { HostPicker } from './connect.tsx';
import { DecisionPanel } from './decide.tsx';
import { FileTree } from './file-tree.tsx';
import { FileViewer } from './file-viewer.tsx';
import { FindingItem } from './findings.tsx';
import { InstallBox } from './install-box.tsx';
import { useServer } from './live-state.ts';
import { PinPanel } from './pin.tsx';
import { type Place, skillHref } from './router.ts';
import { Asks, Provenance, UseIt } from './skill-facts.tsx';
import { StateBadge } from './skill-line.tsx';
import { Badge, CopyButton, counted, Failure, Foreign, plainText, Title, Waiting } from './text.tsx';

const tabs = [
  ['read', 'Read'],
  ['changes', 'Versions'],
  ['connect', 'Use it'],
  ['entry', 'JSON'],
] as const;

export function SkillView({ place }: { readonly place: Place }): JSX.Element {
  const { versions, session } = useServer();
  const { data, error } = useData<SkillDetail>(
    query('api/skill', { uri: place.item }),
    `${versions.catalog}-${versions.review}-${session.trusted}`,
  );
  const name = data === undefined ? '' : plainText(data.row.name);
  useEffect(() => {
    if (name !== '') document.title = `${name} · Skillwire`;
  }, [name]);
  if (error !== undefined && data === undefined)
    return (
      <>
        <p>
          <a href="#/">All skills</a>
        </p>
        <Failure error={error} what="this skill" />
      </>
    );
  if (data === undefined) return <Waiting what="the skill" />;
  return (
    <>
      {error === undefined ? null : <Failure error={error} title="" />}
      <Skill detail={data} place={place} />
    </>
  );
}

function Skill({ detail, place }: { readonly detail: SkillDetail; readonly place: Place }): JSX.Element {
  const { info, session } = useServer();
  const { row, findings } = detail;
  const tab = place.query.get('tab') ?? 'read';
  const file = detail.files.find(({ uri }) => uri === place.item) ?? detail.files.find(({ uri }) => uri === row.uri);
  return (
    <article class="skill">
      <p class="crumbs">
        <a href="#/">All skills</a>
      </p>
      <header>
        <Title of={place.item}>
          <Foreign text={row.name} />
        </Title>
        <p class="badges">
          <StateBadge {...row} />
          {row.verified ? null : (
            <Badge kind="live" title="A running program makes it per request; nothing can be verified beforehand">
              live
            </Badge>
          )}
          {detail.pin?.state === 'pinned' ? (
            <Badge kind="live" title="Agents get a snapshot of the live skill">
              pinned
            </Badge>
          ) : null}
          {row.scripts > 0 ? <Badge kind="plain">{counted(row.scripts, 'script')}</Badge> : null}
          {row.tools > 0 ? <Badge kind="plain">asks for {counted(row.tools, 'tool')}</Badge> : null}
        </p>
        <p class="lead">
          <Foreign text={String((detail.entry as { frontmatter: { description: string } }).frontmatter.description)} />
        </p>
        <p class="address small">
          <code>
            <Foreign text={row.uri} />
          </code>
          <CopyButton text={row.uri} label="Copy URI" />
        </p>
      </header>
      <InstallBox detail={detail} />
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
          {tab === 'changes' ? null : <a href={skillHref(place.item, { tab: 'changes' })}>Decide</a>}
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
      {findings.length === 0 ? null : (
        <ul class="findings">
          {findings.map((found) => (
            <FindingItem found={found} />
          ))}
        </ul>
      )}
      <nav class="tabs" aria-label="About this skill">
        {tabs.map(([id, title]) => (
          <a
            href={skillHref(place.item, id === 'read' ? {} : { tab: id })}
            aria-current={tab === id ? 'page' : undefined}
          >
            {id === 'changes' && info.features.approval ? 'Versions and approval' : title}
          </a>
        ))}
      </nav>
      {tab === 'changes' && detail.pin !== undefined && session.trusted ? <PinPanel detail={detail} /> : null}
      {tab === 'changes' ? (
        // A person reads a change before deciding about it.
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
