/**
 * Makes a decorator of a port: a source from a source, a catalog from a catalog. Every member of the port is named, so a decorator that
 * forgets one does not compile. The result has an optional member exactly while the port behind it has one; it is looked up at each use.
 */

/** What becomes of one member. */
type Change<Port, Key extends keyof Port> =
  /** The port's own. */
  | 'pass'
  /** The member itself, whatever the port has. */
  | Given<Required<Port>[Key]>
  | (Key extends OptionalKey<Port> ? OptionalChange<Required<Port>[Key]> : never);

type OptionalChange<Member> =
  /** The result cannot do that. */
  | 'drop'
  /** Made from the port's own, if it has one. */
  | { readonly map: (own: Member) => Member };

type Given<Member> = [Member] extends [(...given: never[]) => unknown] ? Member : { readonly get: () => Member };

type OptionalKey<Port> = {
  [Key in keyof Port]-?: Partial<Pick<Port, Key>> extends Pick<Port, Key> ? Key : never;
}[keyof Port];

export type Changes<Port> = { readonly [Key in keyof Port]-?: Change<Port, Key> };

/** @param behind the port, or which one it is now */
export function derive<Port extends object>(behind: () => Port, changes: Changes<Port>): Port {
  const derived = {} as Port;
  for (const key of Reflect.ownKeys(changes) as (keyof Port)[]) {
    const change: unknown = changes[key];
    if (change === 'drop') continue;
    Object.defineProperty(derived, key, { enumerable: true, ...descriptor(behind, key, change) });
  }
  return derived;
}

function descriptor<Port>(behind: () => Port, key: keyof Port, change: unknown): PropertyDescriptor {
  if (typeof change === 'function') return { value: change };
  if (change === 'pass') return { get: lookup(behind, key, (own) => own) };
  const made = change as { readonly get?: () => unknown; readonly map: (own: unknown) => unknown };
  return { get: made.get ?? lookup(behind, key, made.map) };
}

/** The member of the port that is behind now, made once for each that there is. */
function lookup<Port>(behind: () => Port, key: keyof Port, map: (own: unknown) => unknown): () => unknown {
  let holder: Port | undefined;
  let own: unknown;
  let made: unknown;
  return () => {
    const port = behind();
    const now: unknown = port[key];
    if (now === undefined) return undefined;
    if (now !== own || port !== holder) {
      [holder, own] = [port, now];
      made = map(typeof now === 'function' ? now.bind(port) : now);
    }
    return made;
  };
}
