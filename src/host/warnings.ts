/** What does not stop the host but should be known. Each is told once. */
export interface HostWarning {
  readonly code: 'cache-unusable' | 'cache-corrupt' | 'state-corrupt' | 'listener-failed';
  readonly message: string;
}

export type Warn = (warning: HostWarning) => void;

/** Passes each warning on once. */
export function warnOnce(listener: Warn | undefined): Warn {
  const told = new Set<string>();
  return (warning) => {
    const key = warning.code === 'cache-unusable' ? warning.code : `${warning.code} ${warning.message}`;
    if (told.has(key)) return;
    told.add(key);
    listener?.(warning);
  };
}
