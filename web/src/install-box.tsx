/** How to get the skill, and the facts that people compare first: update, license, source, versions, size. */
import type { JSX } from 'preact';
import type { SkillDetail } from '../../src/surfaces/page/page-data.ts';
import { mcpAddress } from './api.ts';
import { useHosts } from './connect.tsx';
import { useServer } from './live-state.ts';
import { skillHref } from './router.ts';
import { CopyButton, counted, Day, Foreign, plainText, short, size } from './text.tsx';

/** A word of a POSIX shell. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A command about this skill, for a terminal on the reader's machine. */
export function useCommand(name: 'add' | 'show' | 'pin', uri: string): string {
  const { info } = useServer();
  const token = info.tokenEnv === undefined ? '' : ` --token-env ${info.tokenEnv}`;
  return `npx skillwire ${name} mcp:${mcpAddress} ${shellWord(uri)}${token}`;
}

export function InstallBox({ detail }: { readonly detail: SkillDetail }): JSX.Element {
  const { info } = useServer();
  const { row } = detail;
  const command = useCommand('add', row.uri);
  const { data } = useHosts();
  const links = (data?.hosts ?? []).filter(({ link }) => link !== undefined);
  return (
    <section class="install" aria-labelledby="install">
      <div>
        <h2 id="install">Install</h2>
        <div class="command">
          <pre tabIndex={0}>{command}</pre>
          <CopyButton text={command} label="Copy command" />
        </div>
        {info.tokenEnv === undefined ? null : (
          <p class="quiet tiny">
            Put your token into the environment variable <code>{info.tokenEnv}</code> first.
          </p>
        )}
        <p class="ways">
          <span class="quiet">Or connect an agent to all skills:</span>{' '}
          {links.map(({ title, link }) => (
            <a class="button small" href={link}>
              {title}
            </a>
          ))}
          <a class="button small" href={skillHref(row.uri, { tab: 'connect' })}>
            {links.length === 0 ? 'Configuration' : 'Other agents'}
          </a>
        </p>
      </div>
      <Facts detail={detail} />
    </section>
  );
}

function Facts({ detail }: { readonly detail: SkillDetail }): JSX.Element {
  const { row, updated, license, source, tokens, provenance } = detail;
  return (
    <dl class="card-facts">
      {updated === undefined ? null : (
        <div>
          <dt>Updated</dt>
          <dd>
            <Day at={updated} />
          </dd>
        </div>
      )}
      <div>
        <dt>License</dt>
        <dd>{license === undefined ? <span class="quiet">not stated</span> : <Foreign text={license} />}</dd>
      </div>
      <div>
        <dt>Source</dt>
        <dd>
          {source === undefined ? (
            <Foreign text={provenance.origin} />
          ) : (
            <a href={source} rel="noopener noreferrer nofollow" target="_blank" class="outside">
              {plainText(sourceText(source))}
            </a>
          )}
        </dd>
      </div>
      {provenance.versions === 0 ? null : (
        <div>
          <dt>Versions</dt>
          <dd>
            <a href={skillHref(row.uri, { tab: 'changes' })}>{provenance.versions.toLocaleString('en')} seen</a>
          </dd>
        </div>
      )}
      <div>
        <dt>Size</dt>
        <dd>
          {tokens === undefined ? (
            row.verified ? (
              size(row.bytes)
            ) : (
              'made per request'
            )
          ) : (
            <span title={costText(tokens)}>
              {short(tokens.skillMd)} tokens
              <span class="quiet">
                {' '}
                · {counted(row.files, 'file')}, {size(row.bytes)}
              </span>
            </span>
          )}
        </dd>
      </div>
    </dl>
  );
}

/** Host and repository: "github.com/acme/skills". */
function sourceText(address: string): string {
  const { host, pathname } = new URL(address);
  return [host, ...pathname.split('/').filter((part) => part !== '')].slice(0, 3).join('/');
}

/** Tokens of the description alone, of `SKILL.md`, and of everything. */
function costText({ catalog: listed, skillMd, all }: NonNullable<SkillDetail['tokens']>): string {
  return `${listed} in the list, ${skillMd} when loaded, ${all} with all files`;
}
