/**
 * Shows exactly what a client passes to its model, produced by the host library itself. The served skills count as a local folder of the
 * user, so no approval is needed. A trial approves nothing and writes nothing.
 */
import { clientConfig, clientIds, clientTitle } from '../../agents/client-config.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { SkillRecord } from '../../catalog/snapshot.ts';
import { SkillwireError } from '../../errors.ts';
import { createHost } from '../../host/create-host.ts';
import type { Host } from '../../host/host.ts';
import { skillTools } from '../../host/tools/skill-tools.ts';
import type { SkillSource } from '../../sources/skill-source.ts';
import { memoryStore } from '../../store/memory-store.ts';
import type { HostConfigData, TrialText } from '../../surfaces/page/page-data.ts';
import type { PageTrial } from '../../surfaces/page/page-ports.ts';

export interface TrialOptions {
  /** The catalog that agents get. */
  readonly catalog: Catalog;
  readonly labelOf: (skill: SkillRecord) => string;
  /** The environment variable from which clients read their token, if the server requires one. */
  readonly tokenEnv?: string;
}

const charactersPerToken = 4;

export function pageTrial({ catalog, labelOf, tokenEnv }: TrialOptions): PageTrial {
  async function withHost<T>(run: (host: Host) => Promise<T>): Promise<T> {
    const snapshot = await catalog.snapshot();
    const byLabel = new Map<string, SkillRecord[]>();
    for (const skill of snapshot.listed) {
      const label = labelOf(skill);
      byLabel.set(label, [...(byLabel.get(label) ?? []), skill]);
    }
    const store = memoryStore();
    const host = await createHost({
      store,
      origins: [...byLabel].map(([label, skills]) => ({ label, local: true, source: sourceOf(label, skills) })),
    });
    try {
      return await run(host);
    } finally {
      await host.close();
      await store.close();
    }
  }

  function sourceOf(label: string, skills: readonly SkillRecord[]): SkillSource {
    const byUri = new Map(skills.map((skill) => [skill.entry.uri, skill.source]));
    return {
      name: label,
      async *list() {
        yield { skills: skills.map(({ source }) => source), findings: [] };
      },
      get: async (uri) => byUri.get(uri),
      async open(uri, context) {
        const { bytes, file } = await catalog.read(uri, context);
        return { bytes, digest: file.resource?.digest };
      },
    };
  }

  const textOf = (text: string, isError = false): TrialText => ({
    text,
    characters: text.length,
    tokens: Math.ceil(text.length / charactersPerToken),
    isError,
  });

  return {
    catalog: (characters, shape, signal) =>
      withHost(async (host) => {
        try {
          const { text, shown, leftOut } = await host.catalogText({ maxCharacters: characters, shape, signal });
          return { ...textOf(text), shown, leftOut: leftOut.map(({ name, uri }) => ({ name, uri })) };
        } catch (error) {
          if (error instanceof SkillwireError && error.code === 'USAGE') return textOf(error.message, true);
          throw error;
        }
      }),

    load: (uri, signal) =>
      withHost(async (host) => {
        const load = (await skillTools(host)).find(({ name }) => name === 'load_skill');
        const result = await load?.handler({ name: uri }, { signal });
        return textOf(result?.text ?? '', result?.isError === true);
      }),

    hosts: (address) => clientIds.map((id) => configOf(id, address, tokenEnv)),
  };
}

function configOf(id: (typeof clientIds)[number], url: string, tokenEnv: string | undefined): HostConfigData {
  try {
    const server = { name: 'skills', url, tokenEnv };
    const { file, text, variables, command, link } = clientConfig(id, server);
    const needs = variables.length === 0 ? {} : { variables };
    return { id, title: clientTitle(id), file, text, command, link, ...needs };
  } catch (error) {
    if (!(error instanceof SkillwireError)) throw error;
    return { id, title: clientTitle(id), file: '', text: '', instead: error.message };
  }
}
