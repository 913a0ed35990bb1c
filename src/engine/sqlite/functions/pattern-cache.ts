/** A cache of compiled patterns of one kind. A scan uses the same ones for every row. */
import { MAX_CONDITIONS } from '../../../base/limits/http.ts';

type Matches<Tested> = (tested: Tested) => boolean;

interface Compiled<Tested> {
  readonly test: Matches<Tested>;
  /** The approximate size in any unit. */
  readonly size: number;
}

/** The minimum size of an entry. */
const LEAST_SIZE = 100;
/** The total size kept between statements. */
const KEPT_SIZE = 5_000;

export class PatternCache<Args extends readonly (string | number)[], Tested> {
  private readonly kept = new Map<string, Matches<Tested>>();
  private size = 0;

  constructor(private readonly compile: (...args: Args) => Compiled<Tested>) {}

  get(...args: Args): Matches<Tested> {
    const key = args.join('\0');
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    const { test, size } = this.compile(...args);
    // The maximum per statement.
    if (this.kept.size >= MAX_CONDITIONS) this.clear();
    this.kept.set(key, test);
    this.size += LEAST_SIZE + size;
    return test;
  }

  /** Called between statements. */
  forget(): void {
    if (this.size > KEPT_SIZE) this.clear();
  }

  private clear(): void {
    this.kept.clear();
    this.size = 0;
  }
}
