/** `agent:ID`: the folders in which an agent looks for skills. */
import { cannotRead } from '../http-address.ts';
import { type OriginKind, textField } from '../origin-kind.ts';

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
  // Its folders belong to the user and are outside the project.
  acts: (location) => [['outside-folder', `the skills of the agent ${location.agent}`]],
  async open(location, options) {
    const { agentSource } = await import('../agent-source.ts');
    return agentSource(location.agent, options);
  },
};

/** @throws SkillwireError USAGE */
function agentId(id: string): string {
  if (/^[a-z0-9][a-z0-9._-]*$/.test(id)) return id;
  throw cannotRead(`agent:${id}`, 'what follows "agent:" is not an agent id', 'Write for example agent:claude-code.');
}
