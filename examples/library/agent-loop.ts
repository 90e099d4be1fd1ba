import { type Decide, openHost, skillTools } from 'skillwire/host';

/** A model turns the conversation into the call of a tool, or into an answer. */
export type Model = (conversation: readonly string[]) => Promise<{ tool: string; args: object } | { answer: string }>;

/** Runs a model until it answers. `decide` is asked before a remote skill is loaded, and again after a change, within the `ttlMs` of its origin. */
export async function runAgent(task: string, origins: readonly string[], model: Model, decide: Decide) {
  const host = await openHost(origins, { decide });
  try {
    const tools = await skillTools(host);
    const { text } = await host.catalogText({ maxTokens: 2_000 });
    const conversation: string[] = [text, task];
    for (;;) {
      const turn = await model(conversation);
      if ('answer' in turn) return { answer: turn.answer, conversation };
      const tool = tools.find(({ name }) => name === turn.tool);
      const result = await tool?.handler(turn.args);
      conversation.push(result?.text ?? `There is no tool "${turn.tool}".`);
    }
  } finally {
    await host.close();
  }
}
