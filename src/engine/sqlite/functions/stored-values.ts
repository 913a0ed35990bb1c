/** Converts values to SQLite's stored form and back. */
import type { Type } from '../../../collection/types/type.ts';
import type { Value } from '../../../collection/value.ts';

export function storedForm({ sqlite }: Type, value: Value): Value {
  return value === null ? null : (sqlite.bind?.(value) ?? value);
}

export function valueIn({ sqlite }: Type, stored: Value): Value {
  if (stored === null) return null;
  if (sqlite.value !== undefined) return sqlite.value(stored);
  return typeof stored === 'bigint' ? Number(stored) : stored;
}
