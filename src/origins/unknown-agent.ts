/** The error for an agent that is neither in the table nor in the configuration. Installing needs it without any source. */
import type { Agent } from '../agents/agent-rows.ts';
import { knownAgents } from '../agents/agent-table.ts';
import { SkillwireError } from '../errors.ts';
import { didYouMean } from '../skill/did-you-mean.ts';
import { quoteText } from '../skill/display-text.ts';

export function unknownAgent(id: string, extra: readonly Agent[] | undefined): SkillwireError {
  const near = didYouMean(
    id,
    knownAgents(extra).map((agent) => agent.id),
  );
  return new SkillwireError(
    'USAGE',
    `Unknown agent ${quoteText(id)}.${near} Run "skillwire doctor" for a list, or add it to the configuration.`,
    { data: { agent: id } },
  );
}
