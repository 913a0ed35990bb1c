/** The tests that a command runs: those of the given paths, or one of three selections. */

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
}

export function selectTests(parameters: readonly string[]): Selection {
  const [first, ...rest] = parameters;
  if (first === '--quick') return { args: [...QUICK, ...rest], isQuick: true, hasBrowser: false };
  const args = first === '--systems' ? [...SYSTEMS, ...rest] : parameters;
  const paths = args.filter((each) => !each.startsWith('-'));
  const ignored = paths.length > 0 ? [] : SYSTEMS.map((folder) => `--path-ignore-patterns=${folder}/**`);
  return { args: [...args, ...ignored], isQuick: false, hasBrowser: paths.some((each) => each.includes('browser')) };
}
