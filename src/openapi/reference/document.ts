/** The parts of an OpenAPI document that the reference shows, and how to resolve its references. */

export interface OpenApi {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly requestBodies?: Readonly<Record<string, Body>>;
    readonly responses: Readonly<Record<string, Answer>>;
    readonly headers: Readonly<Record<string, { readonly description: string }>>;
  };
}

type PathItem = { readonly parameters?: readonly Reference[] } & Readonly<Record<string, Operation>>;

export interface Reference {
  readonly $ref: string;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: Body | Reference;
  readonly responses: Readonly<Record<string, Answer | Reference>>;
}

export interface Parameter extends Exemplary {
  readonly name: string;
  readonly in: 'query' | 'header' | 'path';
  readonly required?: boolean;
  /** Whether a request may repeat it. */
  readonly explode?: boolean;
  readonly description: string;
  readonly schema: Schema;
}

export interface Answer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference>>;
  readonly content?: Content;
}

export type Content = Readonly<Record<string, Exemplary & { readonly schema: Schema }>>;

interface Exemplary {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

const METHODS = ['get', 'head', 'post', 'patch', 'put', 'delete', 'options'];

export interface Body {
  readonly content: Content;
}

/** An operation with its path, its body and all its parameters. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly parameters: readonly RouteParameter[];
  readonly body: Body | undefined;
}

/** A parameter of an operation. `component` is its name, if operations share it. */
export interface RouteParameter {
  readonly parameter: Parameter;
  readonly component?: string;
}

export function routesOf({ paths, components }: OpenApi): readonly Route[] {
  return Object.entries(paths).flatMap(([path, { parameters: shared = [], ...item }]) =>
    METHODS.flatMap((method) => {
      const operation = (item as Readonly<Record<string, Operation>>)[method];
      if (operation === undefined) return [];
      const parameters = [...shared, ...operation.parameters].map((each) =>
        isReference(each)
          ? { component: nameOf(each), parameter: components.parameters[nameOf(each)]! }
          : { parameter: each },
      );
      const { requestBody } = operation;
      const body =
        requestBody && isReference(requestBody) ? components.requestBodies?.[nameOf(requestBody)] : requestBody;
      return [{ method: method.toUpperCase(), path, operation, parameters, body }];
    }),
  );
}

/** The last name of a reference: `#/components/schemas/Row` is `Row`. */
export function nameOf({ $ref }: Reference): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}

export function isReference(value: object): value is Reference {
  return Object.hasOwn(value, '$ref');
}

export function examplesOf({ example, examples = {} }: Exemplary): readonly { summary: string; value: unknown }[] {
  return [
    ...(example === undefined ? [] : [{ summary: 'Example', value: example }]),
    ...Object.entries(examples).map(([name, { summary = name, value }]) => ({ summary, value })),
  ];
}

/** Text unchanged, any other value as indented JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
