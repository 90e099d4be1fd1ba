/** The requests of a skill, its origin, and the commands that use it. */
import type { JSX } from 'preact';
import type { SkillRequests } from '../../src/skill/runs-code.ts';
import type { SkillDetail } from '../../src/surfaces/page/page-data.ts';
import type { SignatureData } from '../../src/surfaces/page/review-data.ts';
import { Paste } from './connect.tsx';
import { useCommand } from './install-box.tsx';
import { useServer } from './live-state.ts';
import { counted, Foreign, shortDigest, Time } from './text.tsx';

const askTitles: readonly (readonly [keyof SkillRequests, string])[] = [
  ['hidden', 'Invisible characters'],
  ['shellInText', 'Commands that some agents run on load'],
  ['executionFields', 'Fields that run commands'],
  ['allowedTools', 'Asks for tools'],
  ['scripts', 'Scripts'],
  ['hosts', 'Mentions network hosts'],
  ['nested', 'Skills inside it'],
];

export function Asks({ asks }: { readonly asks: SkillRequests }): JSX.Element {
  const { info } = useServer();
  const rows = askTitles.filter(([key]) => asks[key].length > 0);
  return (
    <section class="card" aria-labelledby="asks">
      <h2 id="asks">Requests</h2>
      {rows.length === 0 ? (
        <p class="quiet">No scripts or tools found.{info.features.approval ? ' Read it before approving.' : ''}</p>
      ) : (
        <dl class="facts">
          {rows.map(([key, title]) => (
            <>
              <dt>{title}</dt>
              <dd>
                {asks[key].map((item) => (
                  <code class="item">
                    <Foreign text={item} />
                  </code>
                ))}
              </dd>
            </>
          ))}
        </dl>
      )}
    </section>
  );
}

/** The verdict about the signature, in one line. It is the server's word, not a proof. */
export function Signature({ signature }: { readonly signature: SignatureData | undefined }): JSX.Element | null {
  if (signature === undefined) return null;
  const { text, change } = signature;
  return (
    <>
      <p>
        <strong>Signature:</strong> <Foreign text={text} />
      </p>
      {change === undefined ? null : (
        <p class="notice problem">
          It cannot be approved here: <Foreign text={change} />. “skillwire approve --allow-signer-change” accepts it.
        </p>
      )}
    </>
  );
}

export function Provenance({ detail }: { readonly detail: SkillDetail }): JSX.Element {
  const { provenance, tokens, setDigest, row, aliases } = detail;
  return (
    <section class="card" aria-labelledby="provenance">
      <h2 id="provenance">Provenance</h2>
      <dl class="facts">
        <dt>Origin</dt>
        <dd>
          <Foreign text={provenance.origin} /> <span class="quiet">({provenance.kind})</span>
        </dd>
        {provenance.dialect === undefined ? null : (
          <>
            <dt>Dialect</dt>
            <dd>{provenance.dialect}</dd>
          </>
        )}
        <dt>Verification</dt>
        <dd>
          {row.verified ? `a digest for each of ${counted(row.files, 'file')}` : 'none, because it is made per request'}
          {setDigest === undefined ? null : <code class="item">set {shortDigest(setDigest)}</code>}
        </dd>
        {provenance.firstSeen === undefined ? null : (
          <>
            <dt>First seen</dt>
            <dd>
              <Time at={provenance.firstSeen} />
              {provenance.versions > 1 ? `, ${counted(provenance.versions, 'version')} since` : ''}
            </dd>
          </>
        )}
        {provenance.lastSeen === undefined ? null : (
          <>
            <dt>Last seen</dt>
            <dd>
              <Time at={provenance.lastSeen} />
            </dd>
          </>
        )}
        {tokens === undefined ? null : (
          <>
            <dt>Tokens, about</dt>
            <dd>
              {tokens.catalog.toLocaleString('en')} in the catalog, {tokens.skillMd.toLocaleString('en')} when loaded,{' '}
              {tokens.all.toLocaleString('en')} with all files
            </dd>
          </>
        )}
        {aliases.length === 0 ? null : (
          <>
            <dt>Also at</dt>
            <dd>
              {aliases.map((alias) => (
                <code class="item">
                  <Foreign text={alias} />
                </code>
              ))}
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

export function UseIt({ detail }: { readonly detail: SkillDetail }): JSX.Element {
  const { uri } = detail.row;
  return (
    <section>
      <Paste title="Install this skill into the folders of your agents" text={useCommand('add', uri)} />
      <Paste title="Show it in a terminal" text={useCommand('show', uri)} />
    </section>
  );
}
