/** The text to paste, the command to run, or the link to open, so that an agent gets these skills. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { HostConfigData } from '../../src/surfaces/page/page-data.ts';
import { mcpAddress, query, useData } from './api.ts';
import { CopyButton, Failure, Title, Waiting } from './text.tsx';

const remembered = 'skillwire-host';

export function ConnectView(): JSX.Element {
  return (
    <>
      <Title of="connect">Connect an agent</Title>
      <p>Choose your agent, copy the text and paste it into the named file. Then ask the agent for its skills.</p>
      <HostPicker />
    </>
  );
}

export function useHosts(): ReturnType<typeof useData<{ hosts: readonly HostConfigData[] }>> {
  return useData<{ hosts: readonly HostConfigData[] }>(query('api/hosts', { address: mcpAddress }));
}

export function HostPicker(): JSX.Element {
  const { data, error } = useHosts();
  const [chosen, setChosen] = useState(() => localStorage.getItem(remembered) ?? 'claude-code');
  if (error !== undefined && data === undefined) return <Failure error={error} what="the configurations" />;
  if (data === undefined) return <Waiting what="the configurations" />;
  const host = data.hosts.find(({ id }) => id === chosen) ?? data.hosts[0];
  if (host === undefined) return <p>No agents are known.</p>;
  const choose = (id: string): void => {
    setChosen(id);
    localStorage.setItem(remembered, id);
  };
  return (
    <section class="card" aria-label="Configuration">
      <fieldset class="hosts" aria-label="Agents">
        {data.hosts.map(({ id, title }) => (
          <button type="button" class="chip" aria-pressed={id === host.id} onClick={() => choose(id)}>
            {title}
          </button>
        ))}
      </fieldset>
      {host.link === undefined ? null : (
        <p>
          <a class="button primary small" href={host.link}>
            Add to {host.title}
          </a>
        </p>
      )}
      {host.command === undefined ? null : <Paste title="Run" text={host.command} />}
      {host.instead === undefined ? (
        <Paste title={`${host.command === undefined ? 'Put' : 'Or put'} this into ${host.file}`} text={host.text} />
      ) : (
        <p>{host.instead}</p>
      )}
      {host.variables === undefined ? null : (
        <p class="quiet">
          This server needs a token. Put it into the environment variable <code>{host.variables.join(', ')}</code> of
          your agent, never into the file.
        </p>
      )}
    </section>
  );
}

export function Paste({ title, text }: { readonly title: string; readonly text: string }): JSX.Element {
  return (
    <figure class="paste">
      <figcaption>
        <span>{title}</span>
        <CopyButton text={text} />
      </figcaption>
      <pre tabIndex={0}>{text}</pre>
    </figure>
  );
}
