/** A cache of compiled patterns of one kind. A scan uses the same ones for every row. */
import { MAX_CONDITIONS } from '../../../base/limits/http.ts';

type Matches<Tested> = (tested: Tested) => boolean;

export class PatternCache<Args extends readonly (string | number)[], Tested> {
  private readonly compiled = new Map<string, Matches<Tested>>();

  constructor(private readonly compile: (...args: Args) => Matches<Tested>) {}

  get(...args: Args): Matches<Tested> {
    const key = args.join('\0');
    const known = this.compiled.get(key);
    if (known !== undefined) return known;
    // The maximum per statement.
    if (this.compiled.size >= MAX_CONDITIONS) this.clear();
    const matches = this.compile(...args);
    this.compiled.set(key, matches);
    return matches;
  }

  /** Called between statements, since compiled patterns may be large. */
  clear(): void {
    this.compiled.clear();
  }
}
