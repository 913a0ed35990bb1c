/** Patterns of one kind, compiled. A scan asks for the same ones row after row. */
import { MAX_CONDITIONS } from '../../limits.ts';

type Matches<Tested> = (tested: Tested) => boolean;

interface Compiled<Tested> {
  readonly test: Matches<Tested>;
  /** About how much it takes, in whatever unit. */
  readonly size: number;
}

/** What any of them takes, whatever its size. */
const LEAST_SIZE = 100;
/** From one statement to another, only a few are worth their memory. */
const KEPT_SIZE = 5_000;

export class Patterns<Args extends readonly (string | number)[], Tested> {
  private readonly kept = new Map<string, Matches<Tested>>();
  private size = 0;

  constructor(private readonly compile: (...args: Args) => Compiled<Tested>) {}

  get(...args: Args): Matches<Tested> {
    const key = args.join('\0');
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    const { test, size } = this.compile(...args);
    // As many as one statement may hold.
    if (this.kept.size >= MAX_CONDITIONS) this.clear();
    this.kept.set(key, test);
    this.size += LEAST_SIZE + size;
    return test;
  }

  /** Between two statements. */
  forget(): void {
    if (this.size > KEPT_SIZE) this.clear();
  }

  private clear(): void {
    this.kept.clear();
    this.size = 0;
  }
}
