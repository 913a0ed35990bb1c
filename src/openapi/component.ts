/**
 * The names of components. A component of a collection begins with its name: `products.Row`, `products.filter.id`. A
 * shared component does not: `Problem`, `limit`.
 */
import type { Collection } from '../collection/declaration.ts';
import type { JsonObject } from './json.ts';

export function own({ name }: Collection, component: string): string {
  return `${name}.${component}`;
}

export function schemaRef(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}
