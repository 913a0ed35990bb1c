/** The tests that a command runs: those of the given paths, or one of four selections. */

/** Tests of whole systems: processes, signals, proxies, standby servers, clients and browsers. */
const SYSTEMS = ['test/processes', 'test/browser', 'test/clients', 'test/deploy', 'test/examples'];

/** Requests in the process of the test, on SQLite only, and tests without any database. */
const QUICK = [
  'test/console',
  'test/declare',
  'test/structure',
  'test/http',
  'test/spec/http',
  'test/spec/reading',
  'test/spec/types',
  'test/spec/writing',
];

export interface Selection {
  /** Arguments of `bun test`. */
  readonly args: readonly string[];
  readonly isQuick: boolean;
  readonly hasBrowser: boolean;
  /** Tests of systems wait most of the time, so that more of them can run at once. */
  readonly workersPerCore: number;
}

export function selectTests(parameters: readonly string[]): Selection {
  const [first, ...rest] = parameters;
  if (first === '--quick') return { args: [...QUICK, ...rest], isQuick: true, hasBrowser: false, workersPerCore: 1.5 };
  if (first === '--all') return { args: rest, isQuick: false, hasBrowser: true, workersPerCore: 2.5 };
  if (first === '--systems') {
    return { args: [...SYSTEMS, ...rest], isQuick: false, hasBrowser: true, workersPerCore: 2 };
  }
  const paths = parameters.filter((each) => !each.startsWith('-'));
  const ignored = paths.length > 0 ? [] : SYSTEMS.map((folder) => `--path-ignore-patterns=${folder}/**`);
  const hasBrowser = paths.some((each) => each.includes('browser'));
  return { args: [...parameters, ...ignored], isQuick: false, hasBrowser, workersPerCore: 1.5 };
}
