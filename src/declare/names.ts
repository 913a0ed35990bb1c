/** Names of collections and fields: those that both engines and a URL take as they are, and none that means something else. */
import { MAX_NAME_LENGTH } from '../limits.ts';
import { anyText, type Shape, say } from './shape.ts';

const NAME = '^[a-z][a-z0-9_]*$';

/** By what they are taken. A test holds them against the paths that the service answers. */
export const RESERVED_COLLECTIONS: Readonly<Record<string, string>> = {
  changes: 'the collection of what was changed',
  console: 'a page of the service',
  docs: 'a page of the service',
  idempotency_keys: 'a table of the service',
  live: 'a page of the service',
  metrics: 'a page of the service',
  openapi: 'a page of the service',
  ready: 'a page of the service',
  rest: 'a path of the API',
  rpc: 'a path of the API',
};

export const RESERVED_PREFIXES: Readonly<Record<string, string>> = {
  catalogue_: 'tables of the service',
  pg_: "PostgreSQL's own tables",
  sqlite_: "SQLite's own tables",
};

const PARAMETERS = ['select', 'order', 'limit', 'offset', 'columns', 'on_conflict', 'and', 'or', 'not', 'after'];
/** Columns that every table has by itself. */
const SYSTEM_COLUMNS = ['cmax', 'cmin', 'ctid', 'rowid', 'tableoid', 'xmax', 'xmin'];

export const RESERVED_FIELDS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(PARAMETERS.map((name) => [name, 'a parameter of the query language'])),
  ...Object.fromEntries(SYSTEM_COLUMNS.map((name) => [name, 'a column that tables have by themselves'])),
};

/** A name, whatever it is the name of. */
export const anyName: Shape<string> = {
  takes: ['text'],
  words: 'a name',
  schema: () => ({ type: 'string', pattern: NAME, maxLength: MAX_NAME_LENGTH }),
  read: (node, reading, what) => {
    const name = anyText.read(node, reading, what);
    if (name === undefined) return undefined;
    if (!new RegExp(NAME).test(name)) {
      const rule = 'names are lower case letters, digits and _, and begin with a letter';
      return say(reading, node.at, `${name}: ${rule}${suggestion(name)}`);
    }
    if (name.length <= MAX_NAME_LENGTH) return name;
    return say(reading, node.at, `${name}: a name has ${MAX_NAME_LENGTH} letters at most`);
  },
};

export const collectionName = unreserved((name) => {
  const prefix = Object.keys(RESERVED_PREFIXES).find((each) => name.startsWith(each));
  if (prefix !== undefined) return `names with ${prefix} are those of ${RESERVED_PREFIXES[prefix]}`;
  return Object.hasOwn(RESERVED_COLLECTIONS, name) ? `${name} is ${RESERVED_COLLECTIONS[name]}` : undefined;
});

export const fieldName = unreserved((name) =>
  Object.hasOwn(RESERVED_FIELDS, name) ? `${name} is ${RESERVED_FIELDS[name]}` : undefined,
);

function unreserved(taken: (name: string) => string | undefined): Shape<string> {
  return {
    ...anyName,
    read: (node, reading, what) => {
      const name = anyName.read(node, reading, what);
      const reason = name === undefined ? undefined : taken(name);
      return reason === undefined ? name : say(reading, node.at, `${reason}; choose another name`);
    },
  };
}

/** `unitPrice` and `Unit Price` were meant to be `unit_price`. */
function suggestion(name: string): string {
  const likely = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[_0-9]+|_+$/g, '');
  return likely === '' ? '' : ` (perhaps ${likely})`;
}
