/** The amount and the seed of generated cases. */

/** Multiplies the number of generated cases: `RUNS=10 npm test`. */
export const RUNS = Number(process.env.RUNS ?? 1);

/** Fixed, so that a passing run passes again. `SEED=7 npm test` generates other cases. */
export const SEED = Number(process.env.SEED ?? 20_261_115);

/** Returns a function like Math.random whose numbers depend only on the seed (mulberry32). */
export function seededRandom(): () => number {
  let state = SEED;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
