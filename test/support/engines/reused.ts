/**
 * Engines of declared catalogues that tests use again: creating tables and starting threads takes most of a short
 * test's time. Closing such an engine releases it for the next test with the same catalogue and rows.
 */
import type { Catalogue } from '../../../src/collection/declaration.ts';
import type { Row } from '../../../src/collection/value.ts';
import type { Engine } from '../../../src/engine/engine.ts';

export type Rows = Readonly<Record<string, readonly Row[]>>;

const MAX_RELEASED = 8;

interface Opened<E extends Engine> {
  readonly engine: E;
  /** Restores the first rows; undefined if the engine cannot be used again. */
  readonly restore: (() => Promise<void>) | undefined;
}

interface Released<E extends Engine> {
  readonly engine: E;
  readonly restore: () => Promise<void>;
  readonly source: object;
  readonly close: () => Promise<void>;
}

export function reused<E extends Engine>(
  open: (catalogue: Catalogue, rows: Rows) => Promise<Opened<E>>,
): (catalogue: Catalogue, rows: Rows) => Promise<E> {
  /** The latest is the last. */
  const released: Released<E>[] = [];
  return async (catalogue, rows) => {
    const source = sourceOf(catalogue, rows);
    const index = released.findLastIndex((each) => each.source === source);
    if (index !== -1) {
      const [{ engine, restore }] = released.splice(index, 1) as [Released<E>];
      await restore();
      return engine;
    }
    const { engine, restore } = await open(catalogue, rows);
    if (restore === undefined) return engine;
    const close = engine.close.bind(engine);
    engine.close = async () => {
      if (released.some((each) => each.engine === engine)) return;
      released.push({ engine, source, restore, close });
      if (released.length > MAX_RELEASED) await released.shift()!.close();
    };
    return engine;
  };
}

/** One object for each catalogue with the same rows. */
const sources = new WeakMap<Catalogue, Map<string, object>>();
const texts = new WeakMap<Rows, string>();
function sourceOf(catalogue: Catalogue, rows: Rows): object {
  const byRows = sources.get(catalogue) ?? new Map<string, object>();
  sources.set(catalogue, byRows);
  const text = texts.get(rows) ?? JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
  texts.set(rows, text);
  const source = byRows.get(text) ?? {};
  byRows.set(text, source);
  return source;
}
