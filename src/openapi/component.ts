/** The shared parts of the document: their names, and references to them. */
import type { Collection } from '../collection/declaration.ts';

/** JSON as TypeScript sees it, for a document that is built by hand. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

type Section = 'schemas' | 'parameters' | 'requestBodies' | 'responses' | 'headers';

/** Builds each component when something first refers to it, so that the document has no unused one. */
export class Components {
  readonly sections: Partial<Record<Section, Record<string, JsonObject>>> = {};

  ref(section: Section, name: string, build: () => JsonObject): JsonObject {
    this.sections[section] ??= {};
    const all = this.sections[section];
    if (!Object.hasOwn(all, name)) {
      // A component may refer to itself.
      all[name] = {};
      all[name] = build();
    }
    return { $ref: `#/components/${section}/${name}` };
  }
}

/** The name of a component of a collection: `products.new`. A shared component has no point: `Problem`, `limit`. */
export function own({ name }: Collection, component: string): string {
  return `${componentName(name)}.${component}`;
}

/** A name in the characters that OpenAPI allows. Different names stay different, since a point is also replaced. */
export function componentName(name: string): string {
  return name.replace(/[^\w-]/gu, (sign) => `.${sign.codePointAt(0)!.toString(16)}.`);
}
