/** `agent:ID`: the folders in which an agent looks for skills. */
import { SkillwireError } from '../../errors.ts';
import type { OriginKind } from '../origin-kind.ts';
import { textField } from '../place-fields.ts';

export interface AgentPlace {
  readonly kind: 'agent';
  readonly agent: string;
}

export interface OriginAgent {
  readonly label?: string;
  readonly agent: string;
}

export const agent: OriginKind<AgentPlace, OriginAgent> = {
  key: 'agent',
  prefixed: {
    prefixes: ['agent:'],
    parse: (text, prefix) => ({ agent: agentId(text.slice(prefix.length)) }),
  },
  spec: 'agent',
  place: (spec) => ({ kind: 'agent', agent: spec.agent }),
  read: (fields) => ({ kind: 'agent', agent: agentId(textField(fields, 'agent')) }),
  text: (place) => `agent:${place.agent}`,
  local: true,
  polled: true,
  credentials: 'environment',
  // Its folders are those of the user, wherever they are.
  acts: (place) => [['outside-folder', `the skills of the agent ${place.agent}`]],
  async open(place, way) {
    const { agentSource } = await import('../agent-source.ts');
    return agentSource(place.agent, way);
  },
};

/** @throws SkillwireError USAGE */
function agentId(id: string): string {
  if (/^[a-z0-9][a-z0-9._-]*$/.test(id)) return id;
  const origin = `agent:${id}`;
  throw new SkillwireError(
    'USAGE',
    `cannot read "${origin}": what follows "agent:" is no agent; write agent:claude-code`,
    { data: { origin } },
  );
}
