/** `agent:ID`: the folders in which an agent looks for skills. */
import { SkillwireError } from '../../errors.ts';
import type { OriginKind } from '../origin-kind.ts';
import { textField } from '../place-fields.ts';

export interface AgentLocation {
  readonly kind: 'agent';
  readonly agent: string;
}

export interface OriginAgent {
  readonly label?: string;
  readonly agent: string;
}

export const agent: OriginKind<AgentLocation, OriginAgent> = {
  key: 'agent',
  prefixed: {
    prefixes: ['agent:'],
    parse: (text, prefix) => ({ agent: agentId(text.slice(prefix.length)) }),
  },
  spec: 'agent',
  location: (spec) => ({ kind: 'agent', agent: spec.agent }),
  read: (fields) => ({ kind: 'agent', agent: agentId(textField(fields, 'agent')) }),
  text: (location) => `agent:${location.agent}`,
  local: true,
  polled: true,
  credentials: 'environment',
  // Its folders are those of the user, wherever they are.
  acts: (location) => [['outside-folder', `the skills of the agent ${location.agent}`]],
  async open(location, way) {
    const { agentSource } = await import('../agent-source.ts');
    return agentSource(location.agent, way);
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
