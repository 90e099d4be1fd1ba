/** How many messages a peer may send: so many at once, and so many per second after that. */

export interface MessageAllowance {
  /** False if the peer has sent too much. */
  take(): boolean;
}

export function createMessageAllowance(burst: number, perSecond: number, now: () => number): MessageAllowance {
  let left = burst;
  let counted = now();
  return {
    take() {
      const time = now();
      left = Math.min(burst, left + ((time - counted) / 1_000) * perSecond);
      counted = time;
      if (left < 1) return false;
      left--;
      return true;
    },
  };
}
