/**
 * The names of components. A component of a collection begins with its name: `products.Row`, `products.filter.id`. A
 * shared component does not: `Problem`, `limit`.
 */
import type { Collection } from '../collection/declaration.ts';
import type { JsonObject } from './json.ts';

export function own({ name }: Collection, component: string): string {
  return `${componentName(name)}.${component}`;
}

/** A name in the characters that OpenAPI allows. Different names stay different, since a point is also replaced. */
export function componentName(name: string): string {
  return name.replace(/[^\w-]/gu, (sign) => `.${sign.codePointAt(0)!.toString(16)}.`);
}

export function schemaRef(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}
