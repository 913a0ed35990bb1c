/** Describes the functions of a schema as a declaration, by PostgREST's rule of which can be called. Read-only. */
import { defined } from '../../../base/defined.ts';
import {
  BODY_TYPES,
  type BodyType,
  type ComputedDraft,
  type FunctionDraft,
  type FunctionResultDraft,
} from '../../../collection/draft.ts';
import { FOREIGN_PREFIX } from '../../../collection/types/foreign.ts';
import { query, type Runner } from '../driver.ts';
import FUNCTIONS from '../queries/functions.sql' with { type: 'text' };
import { typeOfAdopted } from '../schema/column-type.ts';

interface FoundParameter {
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
  readonly variadic: boolean;
  /** The table in the schema whose rows it takes. */
  readonly table: string | null;
}

interface FoundFunction {
  readonly name: string;
  readonly comment: string | null;
  readonly volatility: FunctionDraft['volatility'];
  readonly many: boolean;
  /** The estimated number of rows: a list with `rows 1` has one row at most. */
  readonly rows: number;
  readonly parameters: readonly FoundParameter[];
  /** The columns of OUT parameters or of `table(…)`. */
  readonly outputs: readonly FoundColumn[];
  readonly type: string;
  /** The name of a domain that is a media type. */
  readonly mediaType: string | null;
  /** The table of a row type, if it is in the schema, and the columns of any row type. */
  readonly table: string | null;
  readonly columns: readonly FoundColumn[];
}

interface FoundColumn {
  readonly name: string;
  readonly type: string;
}

export interface DescribedFunctions {
  readonly functions: readonly FunctionDraft[];
  /** Functions of a row, by table. */
  readonly computed: ReadonlyMap<string, readonly ComputedDraft[]>;
  readonly leftOut: readonly string[];
}

/** `collections` are the declared ones. */
export async function describeFunctions(
  runner: Runner,
  schema: string,
  collections: readonly string[],
): Promise<DescribedFunctions> {
  const found = await query<FoundFunction>(runner, { sql: FUNCTIONS, params: [schema] });
  const ofRow = found.flatMap((each) => {
    const computed = computedBy(each, collections);
    return computed === undefined ? [] : [{ function: each, ...computed }];
  });
  const isCallable = (each: FoundFunction) => each.parameters.every(({ name }) => name !== '') || bodyOf(each);
  return {
    functions: found.filter(isCallable).map((each) => describe(each, collections)),
    computed: new Map(
      [...Map.groupBy(ofRow, ({ table }) => table)].map(([table, all]) => [table, all.map(({ draft }) => draft)]),
    ),
    leftOut: found
      .filter((each) => !isCallable(each) && !ofRow.some((computed) => computed.function === each))
      .map(({ name, parameters }) => {
        return `function ${name}(${parameters.map(({ type }) => type).join(', ')}): a parameter has no name`;
      }),
  };
}

function describe(found: FoundFunction, collections: readonly string[]): FunctionDraft {
  const { name, volatility } = found;
  const body = bodyOf(found);
  const returns = resultOf(found, collections);
  return {
    name,
    parameters:
      body !== undefined
        ? []
        : found.parameters.map(({ name: parameter, type, optional, variadic }) => ({
            name: parameter,
            type: typeNameOf(type),
            ...(optional ? { optional } : {}),
            ...(variadic ? { variadic } : {}),
          })),
    volatility,
    ...defined({
      description: found.comment ?? undefined,
      body,
      bodyOptional: (body && found.parameters[0]!.optional) || undefined,
      returns,
    }),
  };
}

/** A function of one row returns a value, or rows of a collection. */
function computedBy(
  found: FoundFunction,
  collections: readonly string[],
): { readonly table: string; readonly draft: ComputedDraft } | undefined {
  const [parameter, ...others] = found.parameters;
  const table = parameter?.table ?? null;
  if (table === null || others.length > 0 || !collections.includes(table)) return undefined;
  const { name, many, rows } = found;
  const returns = resultOf(found, collections);
  if (returns?.collection !== undefined) {
    const { collection } = returns;
    return { table, draft: { name, collection, ...(many && rows !== 1 ? { many } : {}) } };
  }
  return returns?.type === undefined || many ? undefined : { table, draft: { name, type: returns.type } };
}

function bodyOf({ parameters }: FoundFunction): BodyType | undefined {
  const [only, ...others] = parameters;
  if (only === undefined || only.name !== '' || others.length > 0) return undefined;
  return BODY_TYPES.find((type) => type === only.type);
}

function resultOf(
  { type, table, columns, outputs, many, mediaType }: FoundFunction,
  collections: readonly string[],
): FunctionResultDraft | undefined {
  if (type === 'void') return undefined;
  const list = many ? { many } : {};
  if (outputs.length > 0) return { fields: outputs.map(fieldOf), ...list };
  if (table !== null && collections.includes(table)) return { collection: table, ...list };
  if (columns.length > 0) return { fields: columns.map(fieldOf), ...list };
  return { type: typeNameOf(type), ...(mediaType === null || many ? {} : { mediaType }), ...list };
}

function fieldOf({ name, type }: FoundColumn): FoundColumn {
  return { name, type: typeNameOf(type) };
}

/** A type that PostgreSQL treats differently than ours keeps its own name. Without a length, these would truncate. */
function typeNameOf(printed: string): string {
  if (/^(character|bit)(\[\])?$/.test(printed)) return typeNameOf(printed.replace(/^\w+/, '$& varying'));
  const { type, readAs } = typeOfAdopted(printed);
  return readAs === undefined ? type.name : `${FOREIGN_PREFIX}${printed}`;
}
