/**
 * The names of components. What depends on a collection carries its name, `products.Row`, `products.filter.id`; what is the
 * same for all has none, `Problem`, `limit`.
 */
import type { Collection } from '../collection/declaration.ts';
import type { JsonObject } from './json.ts';

export function own({ name }: Collection, component: string): string {
  return `${name}.${component}`;
}

export function schemaRef(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}
