/**
 * A declaration beside roles of the database. It adds titles, descriptions and uses in the console to tables that the
 * database describes. Everything else comes from the database, or is off.
 */
import { MAX_COLLECTIONS, MAX_FIELDS } from '../base/limits/declaration.ts';
import { type Sentence, say } from '../base/sentence.ts';
import type { CollectionDraft, FieldDraft } from '../collection/draft.ts';
import { checkRoles } from './collection.ts';
import { aName, COLLECTION, FIELD, TOP } from './format.ts';
import { parseNodes } from './reader/document.ts';
import { namesTo, propertiesOf } from './reader/maps.ts';
import { Mistakes } from './reader/mistakes.ts';
import { addMistake, type Properties, readAs, valuesOf } from './reader/shape.ts';

const OFF = say`is off with --database-roles`;
const SEARCH_OFF = say`${OFF}: its index would hold the words of rows that a caller may not read. Use the operator wfts, and an index of the database`;

/** The other properties, rejected. */
function rejecting(
  properties: Properties,
  added: Sentence,
  reasons: Readonly<Record<string, Sentence>> = {},
): Properties {
  const usual = say`comes from the database with --database-roles. Remove it: a declaration adds ${added}`;
  return Object.fromEntries(
    Object.entries(properties).map(([name, each]) => {
      return [name, { ...each, isRequired: false, rejection: reasons[name] ?? usual }];
    }),
  );
}

const { title, description, role } = FIELD;
const ADDED_FIELD = { ...rejecting(FIELD, say`title, description and role`), title, description, role };
const field = propertiesOf(ADDED_FIELD, say`a map with title, description and role`);
const ADDED_COLLECTION = {
  ...rejecting(COLLECTION, say`title, description and fields`, { search: SEARCH_OFF, history: OFF, rows: OFF }),
  title,
  description,
  fields: { shape: namesTo(field, say`fields`, MAX_FIELDS, aName), about: '' },
};
const collection = propertiesOf(ADDED_COLLECTION, say`a map with title, description and fields`);
const { $schema } = TOP;
const FORMAT = propertiesOf(
  {
    ...rejecting(TOP, say`collections`, { queries: OFF, actions: OFF, webhooks: OFF, language: OFF }),
    $schema,
    collections: {
      shape: namesTo(collection, say`collections`, MAX_COLLECTIONS, aName),
      about: '',
      isRequired: true,
    },
  },
  say`a map with collections`,
  'x-',
);

type Drafts = readonly CollectionDraft[];

export interface Additions {
  /** Throws a `DeclarationError` for a table or column that no schema has. */
  readonly check: (schemas: readonly Drafts[]) => void;
  /** The collections of a schema with the additions, in the order of the declaration, and then the others. */
  readonly addTo: (drafts: Drafts) => Drafts;
}

/** Throws a `DeclarationError` with every mistake and its line. */
export function readAdditions(text: string, file: string): Additions {
  const mistakes = new Mistakes();
  const root = parseNodes(text, mistakes);
  const declaration = root && readAs(FORMAT, root, { mistakes, path: '', at: root.at }, say`a declaration`);
  const collections = declaration?.collections?.value ?? [];
  for (const { value } of collections) checkRoles(value?.fields?.value ?? []);
  mistakes.settle(file);

  const check = (schemas: readonly Drafts[]) => {
    for (const { name, reading, value } of collections) {
      const tables = schemas.flatMap((drafts) => drafts.filter((draft) => draft.name === name));
      if (tables.length === 0) addMistake(reading, reading.at, say`no schema that is served has this table`);
      for (const each of tables.length === 0 ? [] : (value?.fields?.value ?? [])) {
        const isColumn = tables.some(({ fields }) => fields.some((draft) => draft.name === each.name));
        if (!isColumn) addMistake(each.reading, each.reading.at, say`the table has no such column`);
      }
    }
    mistakes.settle(file);
  };

  const addTo = (drafts: Drafts) => {
    const added = collections.flatMap(({ name, value }) => {
      const draft = drafts.find((each) => each.name === name);
      return draft === undefined || value === undefined ? [] : [{ draft, value }];
    });
    const extended = added.map(({ draft, value }): CollectionDraft => {
      const ofField = ({ name }: FieldDraft) => value.fields?.value.find((each) => each.name === name)?.value ?? {};
      const fields = draft.fields.map((each) => ({
        ...each,
        ...valuesOf(ofField(each), 'title', 'description', 'role'),
      }));
      return { ...draft, ...valuesOf(value, 'title', 'description'), fields };
    });
    return [...extended, ...drafts.filter((draft) => !added.some((each) => each.draft === draft))];
  };
  return { check, addTo };
}
