/** A skill in a list: name, badges, description, and when to use it. */
import type { JSX } from 'preact';
import type { ListedSkill, SkillRow } from '../../src/surfaces/page/page-data.ts';
import { useServer } from './live-state.ts';
import { skillHref } from './router.ts';
import { Badge, counted, Day, Foreign, size } from './text.tsx';

type State = Pick<SkillRow, 'state' | 'approved' | 'agentsGet' | 'why'>;

/** The state of a skill if it is not served. Approval matters only with a policy that requires it. */
export function StateBadge({ state, approved, agentsGet, why }: State): JSX.Element | null {
  const { info } = useServer();
  if (state === 'denied' || state === 'disabled')
    return (
      <Badge kind="bad" title={`Agents do not get it: ${why?.reason ?? state}`}>
        {state}
      </Badge>
    );
  if (!info.features.approval) return null;
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

function findingsText({ problems, warnings, notes }: SkillRow): string {
  if (problems > 0) return counted(problems, 'problem');
  return warnings > 0 ? counted(warnings, 'warning') : counted(notes, 'note');
}

export function SkillLine({ row, active }: { readonly row: ListedSkill; readonly active: boolean }): JSX.Element {
  const { description, useWhen } = row;
  const split = useWhen === undefined ? -1 : description.indexOf(useWhen.slice(0, 24));
  return (
    <a class={`line${active ? ' active' : ''}${row.state === 'disabled' ? ' off' : ''}`} href={skillHref(row.uri)}>
      <span class="head">
        <strong>
          <Foreign text={row.name} />
        </strong>
        <span class="badges">
          <StateBadge {...row} />
          {row.verified ? null : <Badge kind="live">live</Badge>}
          {row.scripts > 0 ? (
            <Badge kind="plain" title="Contains files that can be executed">
              {counted(row.scripts, 'script')}
            </Badge>
          ) : null}
          {row.tools > 0 ? (
            <Badge kind="plain" title="Asks for tools">
              {counted(row.tools, 'tool')}
            </Badge>
          ) : null}
          {row.problems + row.warnings > 0 ? <Badge kind="warn">{findingsText(row)}</Badge> : null}
          {row.collides ? (
            <Badge kind="warn" title="Several skills have this name; each is its own">
              same name
            </Badge>
          ) : null}
          {row.listed || row.agentsGet === 'nothing' ? null : <Badge kind="plain">not listed</Badge>}
        </span>
      </span>
      {split === 0 ? null : (
        <span class="about">
          <Foreign text={split < 0 ? description : description.slice(0, split)} />
        </span>
      )}
      {useWhen === undefined ? null : (
        <span class="use-when">
          <Foreign text={useWhen} />
        </span>
      )}
      <span class="where quiet">
        <Foreign text={row.uri} />
        {row.verified ? ` · ${counted(row.files, 'file')}, ${size(row.bytes)}` : ' · made per request'}
        {row.updated === undefined ? null : (
          <>
            {' '}
            · updated <Day at={row.updated} />
          </>
        )}
      </span>
    </a>
  );
}
