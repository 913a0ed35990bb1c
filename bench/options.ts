/** The command-line options of `npm run bench --`. */
import { parseArgs } from 'node:util';

export interface Options {
  /** Runs under a minute: only the 77 products, with short rounds. */
  readonly quick: boolean;
  /** Runs only the cases whose name contains this text. */
  readonly only: string | undefined;
  /** Writes the table and the plot to docs/. */
  readonly write: boolean;
  /** Also measures other servers; see bench/peers/. */
  readonly peers: boolean;
}

export function readOptions(args: readonly string[]): Options {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string' },
        write: { type: 'boolean', default: false },
        peers: { type: 'boolean', default: false },
      },
    });
    if (values.write && (values.quick || values.only !== undefined)) {
      throw new Error('--write takes a whole run: leave --quick and --only out');
    }
    return { ...values, only: values.only };
  } catch (error) {
    console.error(`${(error as Error).message}\nUsage: npm run bench -- [--quick] [--only <word>] [--peers] [--write]`);
    process.exit(2);
  }
}
