/**
 * Loads the modules that answers may need, before the server listens. Node remembers a failed `import()` for the life of the process. A
 * moment without file descriptors would break the page, search or metrics until the next start.
 */

/** Resolves when no request has to load a module. A gateway also reads origins when it answers. */
export async function loadRequestModules({ gateway }: { readonly gateway: boolean }): Promise<void> {
  await Promise.all([
    import('../page/serve-page.ts'),
    import('../open-state.ts'),
    import('../configured-store.ts'),
    import('../../store/embedded/machine-claim.ts'),
    import('../../store/memory-store.ts'),
    import('../../serving/serving.ts'),
    import('../../serving/decision-feed.ts'),
    import('../../serving/skill-address.ts'),
    import('../../store/embedded/node-digest.ts'),
    import('./metrics.ts'),
    import('../../catalog/catalog-search.ts'),
    import('../../surfaces/mcp/aliases/aliases.ts'),
    import('../../surfaces/mcp/aliases/remarks.ts'),
    import('../../surfaces/mcp/named-skills.ts'),
    import('../../surfaces/well-known-http/artifacts.ts'),
    import('../../sources/directory/cached-tree-writer.ts'),
    import('ignore'),
    ...(gateway ? [import('../../archive/unpack.ts'), import('@modelcontextprotocol/client')] : []),
  ]);
}
