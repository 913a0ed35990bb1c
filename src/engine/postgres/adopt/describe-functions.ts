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
import { typeOfAdopted } from '../schema/column-type.ts';
import { commentOn } from '../schema/inspect.ts';

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

const columnsOf = (modes: string) => `coalesce((select json_agg(json_build_object('name', coalesce(a.name, ''),
    'type', format_type(a.type, null), 'variadic', a.mode = 'v', 'table', (select r.relname::text from pg_catalog.pg_type y join pg_catalog.pg_class r on r.oid = y.typrelid
      where y.oid = a.type and r.relkind in ('r', 'v', 'm', 'f', 'p') and r.relnamespace = p.pronamespace), 'optional', a.nth > p.pronargs - p.pronargdefaults) order by a.place)
  from (select *, count(*) filter (where mode in ('i', 'b', 'v')) over (order by place) as nth from unnest(
      coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargnames, p.proargmodes::text[]) with ordinality as listed (type, name, given, place)
    cross join lateral (select coalesce(listed.given, 'i')) as moded (mode)) as a where a.mode in (${modes})), '[]')`;

// A domain over a row type counts as the row type. Functions of triggers, aggregates and procedures cannot be called.
const FUNCTIONS = `select p.proname::text as name, ${commentOn("obj_description(p.oid, 'pg_proc')")}, p.proretset as many, p.prorows::int4 as rows,
    case p.provolatile when 'v' then 'volatile' when 's' then 'stable' else 'immutable' end as volatility,
    ${columnsOf(`'i', 'b', 'v'`)} as parameters, ${columnsOf(`'o', 'b', 't'`)} as outputs,
    format_type(t.oid, null) as type, case when d.typtype = 'd' and strpos(d.typname, '/') > 0 then d.typname::text end as "mediaType",
    case when c.relkind in ('r', 'v', 'm', 'f', 'p') and c.relnamespace = p.pronamespace then c.relname::text end as table,
    coalesce((select json_agg(json_build_object('name', a.attname::text, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum)
      from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped), '[]') as columns
  from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace and n.nspname = $1::text
    join pg_catalog.pg_type d on d.oid = p.prorettype
    join pg_catalog.pg_type t on t.oid = case when d.typtype = 'd' then d.typbasetype else d.oid end
    left join pg_catalog.pg_class c on c.oid = t.typrelid and t.typtype = 'c'
  where p.prokind = 'f' and d.oid not in ('trigger'::regtype, 'event_trigger'::regtype)
    and not exists (select from pg_catalog.pg_depend e where e.objid = p.oid and e.deptype = 'e')
  order by 1, p.oid`;
