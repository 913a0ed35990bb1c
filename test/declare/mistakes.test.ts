/** Mistakes in a declaration: each error has the line, the problem, and the nearest valid word. */
import { describe, expect, test } from 'bun:test';
import { parseNodes, pathAt } from '../../src/declare/reader/document.ts';
import { Mistakes } from '../../src/declare/reader/mistakes.ts';
import { mistakesIn, withFields } from '../support/processes/declarations.ts';

/** The declaration text and its expected errors. Line numbers refer to the text as written here. */
type Scenario = readonly [what: string, text: string, ...mistakes: readonly string[]];

const WHOLE: readonly Scenario[] = [
  [
    'a rule that means another moment each day',
    'collections:\n  a:\n    fields:\n      id: int4\n      at: { type: timestamptz, minimum: now }\n      on: { type: date, oneOf: [today] }\n',
    '5:41 a.at: minimum cannot be a word such as now, which means another moment each time',
    '6:33 a.on: a value of oneOf cannot be a word such as today, which means another moment each time',
  ],
  ['an empty file', '', '1:1 a declaration must be a map with collections, not empty'],
  ['only a comment', '# nothing yet\n', '1:1 a declaration must be a map with collections, not empty'],
  ['a list', '- products\n', '1:1 a declaration must be a map with collections, not a list'],
  ['no collections', '$schema: x.json\n', '1:1 collections is missing'],
  ['collections without any', 'collections: {}\n', '1:14 collections names no collections'],
  [
    'nothing under collections',
    'collections:\n',
    '1:13 collections must be a map from names to collections, not empty',
  ],
  [
    'an unknown key at the top',
    'colections:\n  a: { fields: { id: int4 } }\n',
    '1:1 unknown key colections (perhaps you meant collections)',
    '1:1 collections is missing',
  ],
  [
    'an unknown key of a collection',
    'collections:\n  a:\n    feilds: { id: int4 }\n    titel: A\n',
    '2:3 a: fields is missing',
    '3:5 a: unknown key feilds (perhaps you meant fields)',
    '4:5 a: unknown key titel (perhaps you meant title)',
  ],
  [
    'a key that is like none',
    'collections:\n  a:\n    fields: { id: int4 }\n    colour: red\n',
    '4:5 a: unknown key colour; there are fields, key, references, computed, unique, rows, history, comments, search, title, description, was',
  ],
  [
    'a collection that is a list of fields',
    'collections:\n  a: [id, b]\n',
    '2:6 a: it must be a map with fields, not a list',
  ],
  ['a collection without fields', 'collections:\n  a:\n    fields: {}\n', '3:13 a: fields names no fields'],
  [
    'a collection that is there twice',
    'collections:\n  a: { fields: { id: int4 } }\n  b: { fields: { id: int4 } }\n  a: { fields: { id: int8 } }\n',
    '4:3 a is here twice; the first is on line 2',
  ],
  [
    'JSON with a key twice, and a wrong type',
    '{\n\t"collections": {\n\t\t"a": { "fields": { "id": "int4", "b": "txt", "b": "text" } }\n\t}\n}\n',
    '3:41 a.b: unknown type txt (perhaps you meant text)',
    '3:48 b is here twice; the first is on line 3',
  ],
  [
    'two documents',
    'collections:\n  a: { fields: { id: int4 } }\n---\nb: 1\n',
    '3:1 a declaration is one document, without ---',
  ],
  ['a tab as indentation', 'collections:\n\ta: 1\n', '2:1 Tabs are not allowed as indentation'],
  [
    'brackets without quotes inside { }',
    withFields('id: int4', 'tags: { type: text[] }', 'other: text'),
    "5:25 a [ is not allowed here; inside { } put a type with brackets in quotes, such as 'text[]'",
  ],
  ['a tag that nobody knows', 'collections: !mine\n  a: { fields: { id: int4 } }\n', '1:14 Unresolved tag: !mine'],
];

const ELSEWHERE: readonly Scenario[] = [
  [
    'keys and types as others call them',
    'collections:\n  a:\n    primary_key: x\n    columns: { x: int4 }\n    fields: { id: int4, b: { type: price, nullable: false, enum: [1] } }\nroles: { r: { a: { select: true, insert: true } } }\n',
    '3:5 a: unknown key primary_key (perhaps you meant key)',
    '4:5 a: unknown key columns (perhaps you meant fields)',
    '5:36 a.b: unknown type price (perhaps you meant decimal(12,2))',
    '5:43 a.b: unknown key nullable (perhaps you meant required)',
    '5:60 a.b: unknown key enum (perhaps you meant oneOf)',
    '6:20 r.a: unknown key select (perhaps you meant read)',
    '6:34 r.a: unknown key insert (perhaps you meant create)',
  ],
  [
    'a field with a mistake is not told to be missing where a role names it',
    "collections: { a: { fields: { id: int4, b: bool } } }\nroles: { r: { a: { read: { where: 'b=is.true', fields: [id, b] } } } }\n",
    '1:44 a.b: unknown type bool (perhaps you meant boolean)',
  ],
];

const NAMES: readonly Scenario[] = [
  [
    'names that begin with a space, or are empty',
    'collections:\n  " Order":\n    fields:\n      id: int4\n      unitPrice: int4\n      "": int4\n',
    '2:3  Order: a name has a first letter that is not a space',
    '6:7  Order: fields is empty',
  ],
  [
    'a name that is too long',
    withFields('id: int4', `${'é'.repeat(32)}: text`),
    `5:7 things: ${'é'.repeat(32)}: a name has 63 bytes at most`,
  ],
  [
    'reserved collections',
    'collections:\n  console: { fields: { id: int4 } }\n  changes: { fields: { id: int4 } }\n  catalogue_users: { fields: { id: int4 } }\n  pg_class: { fields: { id: int4 } }\n',
    '2:3 console is a page of the service; choose another name',
    '4:3 names with catalogue_ are reserved for tables of the service; choose another name',
    "5:3 names with pg_ are reserved for PostgreSQL's own tables; choose another name",
  ],
  [
    'reserved fields',
    withFields('id: int4', 'order: int4', 'ctid: text'),
    '6:7 things: ctid is a column that tables have by themselves; choose another name',
  ],
  [
    'a collection that is called as an index of another',
    'collections:\n  a: { fields: { id: int4, b: { type: text, indexed: true } } }\n  a_b: { fields: { id: int4 } }\n',
    '2:3 a: the index of a.b would be called a_b, as the collection a_b is',
  ],
  [
    'indexes of two collections that are called the same',
    'collections:\n  a: { fields: { id: int4, b_c: { type: text, indexed: true } } }\n  a_b: { fields: { id: int4, c: { type: int4, references: a } } }\n',
    '3:3 a_b: the index of a_b.c would be called a_b_c, as the index of a.b_c is',
  ],
  [
    'former names that are there, or twice',
    withFields(
      'id: int4',
      'a: { type: text, was: b }',
      'b: text',
      'c: { type: text, was: x }',
      'd: { type: text, was: x }',
    ),
    '5:24 things.a: was names b, but a field of that name exists',
    '8:24 things.d: c also has was: x',
  ],
];

const FIELDS: readonly Scenario[] = [
  [
    'no type',
    withFields('id: int4', 'a:', 'b: { required: true }'),
    '5:9 things.a: it must be the name of a type, or a map with type, not empty',
    '6:7 things.b: type is missing',
  ],
  [
    'an unknown key of a field',
    withFields('id: int4', 'a: { type: int4, minumum: 0 }'),
    '5:24 things.a: unknown key minumum (perhaps you meant minimum)',
  ],
  [
    'unknown types',
    withFields('id: integer', 'a: txt', 'b: { type: bool }', 'c: money', "d: 'pg:'", 'e: decimal(20,2)'),
    '4:11 things.id: unknown type integer (perhaps you meant int4)',
    '5:10 things.a: unknown type txt (perhaps you meant text)',
    '6:18 things.b: unknown type bool (perhaps you meant boolean)',
    expect.stringMatching(
      /^7:10 things.c: unknown type money; there are int2, int4, .*decimal\(p,s\)$/,
    ) as unknown as string,
    expect.stringContaining('8:10 things.d: unknown type pg:') as unknown as string,
    '9:10 things.e: unknown type decimal(20,2); a decimal is written decimal(p,s): p digits, 18 at most, s of them after the point',
  ],
  [
    'types by the names that other systems have for them',
    withFields('id: int', 'a: string', 'b: varchar(30)', 'c: number', 'd: datetime', 'e: jsonb', 'f: "guid[]"'),
    '4:11 things.id: unknown type int (perhaps you meant int4)',
    '5:10 things.a: unknown type string (perhaps you meant text)',
    '6:10 things.b: unknown type varchar(30) (perhaps you meant text with maxLength: 30)',
    '7:10 things.c: unknown type number (perhaps you meant decimal(12,2))',
    '8:10 things.d: unknown type datetime (perhaps you meant timestamp)',
    '9:10 things.e: unknown type jsonb (perhaps you meant json)',
    '10:10 things.f: unknown type guid[] (perhaps you meant uuid[])',
  ],
  [
    'a decimal without quotes inside { }',
    withFields('id: int4', 'a: { type: decimal(12,4) }'),
    "5:18 things.a: unknown type decimal(12; inside { } it is put in quotes, such as 'decimal(12,4)'",
    expect.stringContaining('5:29 things.a: unknown key 4)') as unknown as string,
  ],
  [
    'values of the wrong kind',
    withFields(
      'id: int4',
      'a: { type: text, required: yes, unique: 1, title: [A], maxLength: 2.5, oneOf: x, pattern: 7 }',
    ),
    '5:34 things.a: required must be true or false, not a text',
    '5:47 things.a: unique must be true or false, not a number',
    '5:57 things.a: title must be a text, not a list',
    '5:73 things.a: maxLength must be a whole number from 1 to 10485760',
    '5:85 things.a: oneOf must be a list of values, not a text',
    '5:97 things.a: pattern must be a regular expression, not a number',
  ],
  [
    'defaults of another type',
    withFields(
      'id: int4',
      'a: { type: int4, default: many }',
      'b: { type: boolean, default: 7 }',
      "c: { type: 'decimal(4,2)', default: 123.4 }",
      'd: { type: int2, default: 40000 }',
      'e: { type: text, default: }',
    ),
    '5:33 things.a: default is not a valid int4: invalid input syntax for type integer: "many"',
    '6:36 things.b: default is not a valid boolean: invalid input syntax for type boolean: "7"',
    '7:43 things.c: default is not a valid decimal(4,2): numeric field overflow; A field with precision 4, scale 2 must round to an absolute value less than 10^2.',
    '8:33 things.d: default is not a valid int2: value "40000" is out of range for type smallint',
    '9:33 things.e: default must be a value, not empty',
  ],
  [
    'a json default with more digits than a number has',
    withFields('id: int4', 'a: { type: json, default: { n: [12345678901234567890.5] } }'),
    '5:33 things.a: default is not a valid json: 12345678901234567890.5 has too many digits for a number in a declaration',
  ],
  [
    'now and uuid for other types',
    withFields(
      'id: int4',
      'a: { type: text, default: now }',
      'b: { type: text, default: uuid }',
      'c: { type: int4, default: now }',
    ),
    '5:33 things.a: default now is for dates and times, not text',
    '6:33 things.b: default uuid is for fields of type uuid, not text',
    '7:33 things.c: default now is for dates and times, not int4',
  ],
  [
    'rules for other types',
    withFields(
      'id: int4',
      'a: { type: text, minimum: 0, maximum: 1 }',
      "b: { type: int4, maxLength: 4, pattern: '1' }",
      'c: { type: json, oneOf: [1] }',
      'd: { type: boolean, oneOf: [1] }',
      'e: { type: text, onUpdate: now }',
    ),
    '5:24 things.a: minimum is for numbers, dates and times, not text',
    '5:36 things.a: maximum is for numbers, dates and times, not text',
    '6:24 things.b: maxLength is for texts, not int4',
    '6:38 things.b: pattern is for texts, not int4',
    '7:24 things.c: oneOf is for numbers, texts, dates and times, not json',
    '8:27 things.d: oneOf is for numbers, texts, dates and times, not boolean',
    '9:24 things.e: onUpdate is for dates and times, not text',
  ],
  [
    'rules that say nothing sensible',
    withFields(
      'id: int4',
      'a: { type: int4, minimum: 10, maximum: 9 }',
      'b: { type: int4, minimum: 0.5 }',
      "c: { type: text, pattern: '[a' }",
      "d: { type: text, pattern: '(a)\\1' }",
      'e: { type: int4, oneOf: [1, two, 1] }',
      'f: { type: text, oneOf: [] }',
      'g: { type: int8, minimum: 9007199254740993, maximum: 9007199254740992 }',
    ),
    '5:24 things.a: minimum 10 is greater than maximum 9',
    '6:33 things.b: minimum is not a valid int4: invalid input syntax for type integer: "0.5"',
    expect.stringMatching(/^7:33 things.c: pattern: invalid regular expression/) as unknown as string,
    expect.stringMatching(/^8:33 things.d: pattern: /) as unknown as string,
    '9:35 things.e: a value of oneOf is not a valid int4: invalid input syntax for type integer: "two"',
    '9:40 things.e: oneOf has 1 twice',
    '10:31 things.f: oneOf must be a list of values, at least 1',
    '11:24 things.g: minimum 9007199254740993 is greater than maximum 9007199254740992',
  ],
  [
    'defaults that break the rules',
    withFields(
      'id: int4',
      'a: { type: int4, default: -1, minimum: 0 }',
      'b: { type: text, default: lost, oneOf: [draft, live] }',
      'c: { type: text, default: abc, maxLength: 2 }',
      "d: { type: text, default: abc, pattern: '^[A-Z]' }",
      'e: { type: int4, default: 8, maximum: 7 }',
    ),
    '5:33 things.a: default is less than minimum 0',
    '6:33 things.b: default is not among oneOf',
    '7:33 things.c: default is longer than maxLength',
    '8:33 things.d: default does not match pattern',
    '9:33 things.e: default is greater than maximum 7',
  ],
  [
    'roles',
    withFields(
      'id: int4',
      'a: { type: text, role: titel }',
      'b: { type: text, role: title }',
      'c: { type: text, role: title }',
    ),
    '5:30 things.a: role must be one of title, flag, group, price, stock, threshold, value, not titel (perhaps you meant title)',
    '7:24 things.c: b has the role title already',
  ],
  [
    'onUpdate by another word',
    withFields('id: int4', 'a: { type: text, onUpdate: then }'),
    '5:34 things.a: onUpdate must be now, not then',
  ],
];

const KEYS: readonly Scenario[] = [
  [
    'no field id and no key',
    'collections:\n  a: { fields: { sku: text, b: int4 } }\n',
    '2:3 a: unknown field id; declare which field identifies a row, such as key: sku',
  ],
  [
    'a key that is not a field',
    'collections:\n  a:\n    key: skuu\n    fields: { sku: text }\n',
    '3:5 a: key names skuu, which is not a field (perhaps you meant sku)',
  ],
  [
    'a key of several, with mistakes',
    'collections:\n  a:\n    key: [x, y, x, zz]\n    fields: { x: int4, y: json, z: text }\n',
    '3:5 a: the key field y is json, which a key cannot be',
    '3:17 a: key names x twice',
    '3:20 a: key names zz, which is not a field (perhaps you meant z)',
  ],
  [
    'a key that is not required',
    withFields('id: { type: int4, required: false }'),
    '4:25 things.id: a key field is always required; remove required: false',
  ],
  [
    'unique fields',
    'collections:\n  a:\n    key: [x, y]\n    unique: [[x, zzz], [x], [y, x], [x, z], [z, x], x]\n    fields: { x: int4, y: int4, z: int4 }\n',
    '4:18 a: unique names zzz, which is not a field',
    '4:24 a: a single field is unique by its own key: x: { unique: true }',
    '4:29 a: the key is unique by itself',
    '4:45 a: unique has [z, x] twice',
    '4:53 a: each of unique must be a list of fields, not a text',
  ],
];

const REFERENCES: readonly Scenario[] = [
  [
    'a collection that is not there',
    'collections:\n  categories: { fields: { id: int4 } }\n  a: { fields: { id: int4, c: { type: int4, references: categorys }, d: { type: int4, references: { collection: x, onDelete: delete } } } }\n',
    '3:57 a.c: unknown collection categorys (perhaps you meant categories)',
    '3:101 a.d: unknown collection x',
    '3:126 a.d: onDelete must be one of restrict, cascade, set null, not delete',
  ],
  [
    'another type than the key',
    'collections:\n  b: { fields: { id: int8 } }\n  a: { fields: { id: int4, c: { type: int4, references: b } } }\n',
    '3:57 a.c: it is int4, and the key of b is int8: make it int8',
  ],
  [
    'a key of several fields',
    'collections:\n  b: { key: [x, y], fields: { x: int4, y: int4 } }\n  a: { fields: { id: int4, c: { type: int4, references: b } } }\n',
    '3:57 a.c: the key of b is x and y: declare references: [{ fields: [...], collection: b }] at the collection',
  ],
  [
    'set null on what is required',
    'collections:\n  b: { fields: { id: int4 } }\n  a: { fields: { id: int4, c: { type: int4, required: true, references: { collection: b, onDelete: set null } } } }\n',
    '3:90 a.c: onDelete: set null is not for a required field, nor for a key',
  ],
  [
    'a reference without a collection',
    'collections:\n  a: { fields: { id: int4, c: { type: int4, references: { onDelete: cascade } } } }\n',
    '2:28 a.c: collection is missing',
  ],
  [
    'one that names a collection with mistakes of its own is not said to be wrong',
    'collections:\n  b: { fields: { id: itn4 } }\n  a: { fields: { id: int4, c: { type: int4, references: b } } }\n',
    '2:22 b.id: unknown type itn4 (perhaps you meant int4)',
  ],
];

const ALIASES: readonly Scenario[] = [
  [
    'no such anchor',
    withFields('id: int4', 'a: *nothing'),
    '5:10 anchor &nothing is not defined before this',
    '5:10 things.a: it must be the name of a type, or a map with type, not empty',
  ],
  [
    'an anchor within itself',
    'collections: &all\n  a: *all\n',
    '2:6 anchor &all is not defined before this',
    '2:6 a: it must be a map with fields, not empty',
  ],
  [
    'a merge of something that is not a map',
    'collections:\n  a:\n    <<: x\n    fields: { id: int4 }\n',
    '3:9 << takes an alias of a map, or a list of them',
  ],
  [
    'aliases of aliases that grow without bound',
    `x-0: &a0 [1, 1]\n${Array.from({ length: 40 }, (_, at) => `x-${at + 1}: &a${at + 1} [*a${at}, *a${at}]\n`).join('')}${withFields('id: int4', 'j: { type: json, default: *a40 }')}`,
    '41:12 things.j: default is not a valid json: it holds more than 10000 values',
  ],
];

const ALL = { WHOLE, ELSEWHERE, NAMES, FIELDS, KEYS, REFERENCES, ALIASES };
for (const [group, scenarios] of Object.entries(ALL)) {
  describe(group.toLowerCase(), () => {
    for (const [what, text, ...mistakes] of scenarios) {
      test(what, async () => expect(await mistakesIn(text)).toEqual(mistakes));
    }
  });
}

test('the member at a place is the one that is written there, not one that an alias repeats', () => {
  const text = `a: &a
  title: A
  fields: { id: int4 }
b: *a
c:
  <<: *a
  key: id
  title: C
d:
  key: id
  <<: *a
`;
  const root = parseNodes(text, new Mistakes())!;
  const paths = [
    [3, 13],
    [4, 4],
    [7, 8],
    [8, 10],
    [10, 8],
  ].map(([line, column]) => pathAt(root, { line: line!, column: column! }).join('.'));
  expect(paths).toEqual(['a.fields.id', 'b', 'c.key', 'c.title', 'd.key']);
});
