/** A stand-in server and a source that reads it, both closed when the test ends. */
import { onTestFinished } from 'vitest';
import type { McpServerSource } from '../../../src/sources/mcp-server/connection-source.ts';
import { type McpUrlOptions, mcpServerSource } from '../../../src/sources/mcp-server/mcp-server-source.ts';
import type { SourceContext, SourcePage } from '../../../src/sources/skill-source.ts';
import { type RunningStandIn, type StandIn, startStandIn } from './stand-in.ts';

export interface ReadStandIn {
  readonly source: McpServerSource;
  readonly server: RunningStandIn;
}

export async function reads(
  standIn: StandIn | Promise<StandIn>,
  options: Omit<McpUrlOptions, 'url'> = {},
): Promise<ReadStandIn> {
  const server = await startStandIn(await standIn);
  const source = mcpServerSource({ url: server.url, era: 'legacy', ...options });
  onTestFinished(async () => {
    await source.close();
    await server.close();
  });
  return { source, server };
}

/** All pages as one. */
export async function listed(source: McpServerSource, context: SourceContext = {}): Promise<Required<SourcePage>> {
  const skills: SourcePage['skills'][number][] = [];
  const findings: SourcePage['findings'][number][] = [];
  const refused: NonNullable<SourcePage['refused']>[number][] = [];
  let dialect = '';
  for await (const page of source.list(context)) {
    skills.push(...page.skills);
    findings.push(...page.findings);
    refused.push(...(page.refused ?? []));
    dialect = page.dialect ?? dialect;
  }
  return { skills, findings, refused, dialect };
}
