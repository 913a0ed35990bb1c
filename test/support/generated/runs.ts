/** Multiplies the number of generated cases: `RUNS=10 npm test`. */
export const RUNS = Number(process.env.RUNS ?? 1);
