// Figures of rounds, and the rows made from them.

/**
 * Figures by measured program, one per round. `ours` is this build, `other` is the build of --against.
 * @typedef {{ ours: number[], other?: number[], [peer: string]: number[] | undefined }} Samples
 */

/** @param {readonly number[]} values @param {number} part */
function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * part;
  const [low = Number.NaN, high = Number.NaN] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low + (high - low) * (at - Math.floor(at));
}

/** @param {readonly number[]} values */
export function median(values) {
  return quantile(values, 0.5);
}

/** The middle half of the rounds, as a part of the median: 0.1 is 10 %. 0 for a single round. @param {readonly number[]} values */
export function spread(values) {
  const middle = median(values);
  return middle === 0 ? 0 : Math.abs((quantile(values, 0.75) - quantile(values, 0.25)) / middle);
}

/**
 * One figure with the bar it must not exceed.
 * @typedef {object} Row
 * @property {string} name
 * @property {string} unit
 * @property {number} bar
 * @property {number} value the median of the rounds
 * @property {number} spread of the rounds
 * @property {number} rounds
 * @property {{ value: number, spread: number, change: number }} [other] of the other build; `change` is the median of ours / other in the same round
 * @property {string} [peers] the same figure of others
 * @property {string} [floor] the figures behind the ratio
 */

/**
 * A row from the rounds. `figure` turns the sample of a build in a round into the figure of the row, such as its ratio to the round's
 * floor. Noise that lasts longer than a round then hits both.
 * @param {Samples} samples
 * @param {{ name: string, unit: string, bar: number, figure?: (sample: number, round: number) => number, peers?: string, floor?: string }} about
 * @returns {Row}
 */
export function rowOf(samples, { name, unit, bar, figure = (sample) => sample, peers, floor }) {
  const values = samples.ours.map(figure);
  const others = samples.other?.map(figure);
  const change = others?.map((value, round) => (values[round] ?? Number.NaN) / value);
  return {
    name,
    unit,
    bar,
    value: median(values),
    spread: spread(values),
    rounds: values.length,
    ...(others === undefined || change === undefined
      ? {}
      : { other: { value: median(others), spread: spread(others), change: median(change) } }),
    ...(peers === undefined ? {} : { peers }),
    ...(floor === undefined ? {} : { floor }),
  };
}

/** Smaller changes are not regressions. */
const smallChange = 0.1;

/** True if a figure grew by more than 10 % and by more than either spread. @param {number} change now / before @param {number} now @param {number} before */
export function isRegression(change, now, before) {
  return change > 1 + Math.max(smallChange, now, before);
}

/** Rows above this spread are marked as noisy. */
export const noisySpread = 0.15;
