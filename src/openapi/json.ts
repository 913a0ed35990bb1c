/** JSON as TypeScript sees it, for a document that is built by hand. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}
