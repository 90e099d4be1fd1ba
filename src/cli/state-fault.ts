/** What `skillwire state check` reports. */
export interface StateFault {
  /**
   * `damaged`: it is not as it was written, as the store tells. `unusable`: it cannot be understood and does not count. `missing`: bytes are
   * not there. `outdated`: the audit has a later decision.
   */
  readonly kind: 'damaged' | 'unusable' | 'missing' | 'outdated';
  readonly what: string;
  readonly remedy: string;
}
