/** A request body after parsing by its content type, before the dialect interprets it. */
export type Document =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'table'; readonly header: readonly string[]; readonly rows: readonly (readonly unknown[])[] };
