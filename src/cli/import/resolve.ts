/** Finds the key of a referenced row by another of its fields, such as the name of a category. */
import { ApiError, unlessRejected } from '../../base/errors.ts';
import type { Collection, Field, Reference } from '../../collection/declaration.ts';
import { parseJson } from '../../collection/exact-json.ts';
import { EMPTY_QUERY } from '../../dialect/query.ts';
import type { Engine } from '../../engine/engine.ts';
import { fieldFromHeader } from '../../import/headers.ts';
import { coerce, readCell } from '../../plan/coerce.ts';
import { planRead } from '../../plan/read/read.ts';
import { fieldExpression } from '../../plan/resolve.ts';
import { ConfigError } from '../../settings/by-command.ts';
import { isNew, read } from '../shared/database.ts';

/** The number of values kept, so that memory stays bounded. */
const KEPT_VALUES = 100_000;

/** Turns the cells of a column into keys of rows. */
export interface CellResolver {
  /** Notes a cell to look up with the next `load`. */
  request(cell: unknown): void;
  load(engine: Engine): Promise<void>;
  /** The key as a cell: a text, or a value of JSON. */
  keyOf(cell: unknown, isText: boolean): unknown;
}

/** `category=name`, one or several. */
export function readResolvers(text: string, collection: Collection): ReadonlyMap<Field, CellResolver> {
  const lines = text.split('\n').filter((each) => each !== '');
  return new Map(
    lines.map((line) => {
      const [name = '', by = ''] = line.split('=').map((each) => each.trim());
      const field = fieldFromHeader(collection.fields, name);
      const reference = collection.references.find((each) => each.field === field);
      const references = collection.references.map((each) => each.field.name).join(', ') || 'none';
      if (field === undefined || reference === undefined) {
        throw new ConfigError(`--resolve ${line}: ${name} is not a reference. The references are ${references}`);
      }
      const target = collection.among.get(reference.to)!;
      const found = fieldFromHeader(target.fields, by);
      const names = target.fields.map((each) => each.name).join(', ');
      if (found === undefined) {
        throw new ConfigError(`--resolve ${line}: unknown field '${by}' of ${target.name}. Its fields are ${names}`);
      }
      return [field, new Resolver(reference, target, found)] as const;
    }),
  );
}

class Resolver implements CellResolver {
  /** Keys by value; empty if no row has the value, several if the value is ambiguous. */
  private readonly keys = new Map<string, unknown[]>();
  private wanted = new Map<string, ReturnType<typeof coerce>>();

  constructor(
    private readonly reference: Reference,
    private readonly target: Collection,
    private readonly by: Field,
  ) {}

  /** Only `load` adds values, so the first call after it makes room. */
  request(cell: unknown): void {
    if (cell === undefined || cell === null) return;
    if (this.keys.size > KEPT_VALUES) this.keys.clear();
    // `keyOf` reports an error.
    unlessRejected(() => {
      const value = readCell(this.by, cell);
      const text = this.by.type.key(value);
      if (!this.keys.has(text)) this.wanted.set(text, value);
    });
  }

  /** Reads the keys of the requested values. */
  async load(engine: Engine): Promise<void> {
    const { keys, wanted, target, by } = this;
    if (wanted.size === 0) return;
    for (const text of wanted.keys()) keys.set(text, []);
    const values = [...wanted.values()];
    this.wanted = new Map();
    if (isNew(engine, target)) return;
    const key = target.key[0]!;
    const all = planRead(target, EMPTY_QUERY, { offset: 0 }, undefined);
    const columns = all.columns.filter(({ name }) => name === key.name || name === by.name);
    const plan = { ...all, columns, where: { kind: 'in', of: fieldExpression(by), values } } as const;
    const { parts } = await read(engine, plan, 'json');
    const text = await new Response(parts as unknown as ReadableStream).text();
    for (const row of parseJson(text) as Readonly<Record<string, unknown>>[]) {
      keys.get(by.type.key(coerce(by, row[by.name])))?.push(row[key.name]);
    }
  }

  /** The key as a cell. An empty cell refers to nothing. */
  keyOf(cell: unknown, isText: boolean): unknown {
    if (cell === undefined || cell === null) return cell;
    const keys = this.keys.get(this.by.type.key(readCell(this.by, cell))) ?? [];
    if (keys.length === 1) return isText ? String(keys[0]) : keys[0];
    const { reference, by } = this;
    const told = `${by.name} "${cell}"`;
    throw new ApiError(
      '23503',
      keys.length === 0
        ? `${told} does not exist in ${reference.to}`
        : `${told} is ambiguous: ${keys.length} rows of ${reference.to} have it`,
    );
  }
}
