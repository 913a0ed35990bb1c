/** The engines of a run: all, or only that of TEST_ENGINE, for a quick run. */
const { TEST_ENGINE } = process.env;

export function isChosen(name: string): boolean {
  return TEST_ENGINE === undefined || name === TEST_ENGINE;
}

export function chosen<T>(engines: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(engines).filter(([name]) => isChosen(name)));
}
