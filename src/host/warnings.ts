/** Something that does not stop the host but should be known. Each is reported once. */
export interface HostWarning {
  readonly code: 'cache-unusable' | 'cache-corrupt' | 'state-corrupt' | 'listener-failed';
  readonly message: string;
}

export type Warn = (warning: HostWarning) => void;

/** Passes each warning on once. */
export function warnOnce(listener: Warn | undefined): Warn {
  const known = new Set<string>();
  return (warning) => {
    const key = warning.code === 'cache-unusable' ? warning.code : `${warning.code} ${warning.message}`;
    if (known.has(key)) return;
    known.add(key);
    listener?.(warning);
  };
}
