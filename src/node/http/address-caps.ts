export function createAddressCaps(most: number) {
  const counts = new Map<string, number>();
  return {
    /** How many the address has open. */
    count: (address: string | undefined): number => counts.get(networkOf(address)) ?? 0,
    /** Returns a function that releases the slot; `undefined` if the address is at its limit. */
    enter(address: string | undefined): (() => void) | undefined {
      const network = networkOf(address);
      const before = counts.get(network) ?? 0;
      if (before >= most) return undefined;
      counts.set(network, before + 1);
      let open = true;
      return () => {
        if (!open) return;
        open = false;
        const left = (counts.get(network) ?? 1) - 1;
        if (left === 0) counts.delete(network);
        else counts.set(network, left);
      };
    },
  };
}

/**
 * Limits how much one address may have open at a time (sec:M-11, sec:M-15), so that no client can exhaust shared resources. IPv6
 * addresses count by their first 64 bits, because one client usually owns a whole /64.
 */
/** Sockets without an address, for example closed ones, count as one network. */
export function networkOf(address = ''): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = (plain.split('%', 1)[0] ?? '').toLowerCase().split('::', 2);
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups =
    tail === undefined
      ? first
      : [...first, ...Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0'), ...last];
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
