/** The words after `npm run bench --`. */
import { parseArgs } from 'node:util';

export interface Options {
  /** Under a minute: the 77 products only, with short rounds. */
  readonly quick: boolean;
  /** Only the cases whose name has this word in it. */
  readonly only: string | undefined;
  /** Puts the table and the plot into docs/. */
  readonly write: boolean;
  /** Others beside the service; see bench/peers/. */
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
