/**
 * Reads that differ only in whole numbers, such as `category_id=eq.1&limit=10` and `category_id=eq.2&limit=20`, are parsed
 * and planned once: the next of the same outline is the one before with other numbers in it. Where the numbers mean more
 * than themselves, it goes the whole way, and so does whatever is refused.
 */
import type { Collection } from '../collection/declaration.ts';
import { pageOfQuery } from '../dialect/page.ts';
import { parseQuery } from '../dialect/query.ts';
import { Refusal } from '../errors.ts';
import { Numbers } from './numbers.ts';
import { type Places, placesOf, withNumbers } from './places.ts';
import { type PlannedRead, planRead } from './read.ts';

interface Outlined {
  /** The query string with `#` for each of its numbers. No query string holds a `#` of its own. */
  readonly outline: string;
  /** Undefined where it must be planned anew each time. */
  readonly template: Template | undefined;
}

interface Template {
  readonly planned: PlannedRead;
  readonly places: Places;
}

const MAX_REMEMBERED = 500;
const MAX_LENGTH = 512;
/** Outlines seen, by their hash: one that comes a second time is worth remembering, and many come only once. */
const SEEN = 4096;

export class RememberedReads {
  /** By the hash of their outlines: to put an outline together for each request would cost more than planning anew. */
  private readonly known = new Map<number, Outlined>();
  private readonly seen = new Int32Array(SEEN);
  private readonly numbers = new Numbers();

  constructor(private readonly collection: Collection) {}

  /** The query string and its plan, without a count; the same as if both were made anew. */
  read(text: string): PlannedRead {
    if (text.length > MAX_LENGTH) return this.plan(text);
    const { numbers } = this;
    const hash = numbers.readFrom(text);
    const known = this.known.get(hash);
    if (known !== undefined && numbers.completes(known.outline)) {
      const { template } = known;
      return template === undefined ? this.plan(text) : withNumbers(template.planned, template.places, numbers);
    }
    const planned = this.plan(text);
    if (this.seen[hash & (SEEN - 1)] === hash) this.remember(hash, planned);
    else this.seen[hash & (SEEN - 1)] = hash;
    return planned;
  }

  private remember(hash: number, planned: PlannedRead): void {
    if (this.known.size >= MAX_REMEMBERED) this.known.clear();
    const outline = this.numbers.outline();
    this.known.set(hash, { outline, template: this.templateLike(planned, outline) });
  }

  /** The same is planned with other numbers, by which their places are found; with its own in them it must be itself. */
  private templateLike(planned: PlannedRead, outline: string): Template | undefined {
    const others = this.numbers.others();
    let next = 0;
    try {
      const other = this.plan(outline.replaceAll('#', () => others[next++]!));
      const places = placesOf(other, others);
      if (!Bun.deepEquals(withNumbers(other, places, this.numbers), planned, true)) return undefined;
      return { planned: { query: other.query, plan: { ...other.plan, outline: {} } }, places };
    } catch (error) {
      // Refused for its numbers: they mean more than themselves.
      if (error instanceof Refusal) return undefined;
      throw error;
    }
  }

  private plan(text: string): PlannedRead {
    const query = parseQuery(text);
    return { query, plan: planRead(this.collection, query, pageOfQuery(query), undefined) };
  }
}
