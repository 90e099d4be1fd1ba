/** Answers of the MDP routes. None of them may be kept by anybody in between, and none is ever anything else than it says. */

export const ownHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const;

export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(value, { status, headers: { ...ownHeaders, ...headers } });
}

export function empty(status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status, headers: { ...ownHeaders, ...headers } });
}

export function methodNotAllowed(allow: string): Response {
  return empty(405, { allow });
}
