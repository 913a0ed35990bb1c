/**
 * Reads a declaration. In: a YAML or JSON file. Out: a `CatalogueDraft`, plain data in which every name, type and value
 * is valid. Throws a `DeclarationError` with every mistake and its line. Opens no database.
 */
import { defined } from '../base/defined.ts';
import { say } from '../base/sentence.ts';
import { declareCatalogue } from '../collection/declaration.ts';
import type { CatalogueDraft } from '../collection/draft.ts';
import { checkFormerNames, draftCollection } from './collection.ts';
import { withComments } from './comments.ts';
import { readText } from './declaration-file.ts';
import { FORMAT } from './format.ts';
import { parseNodes } from './reader/document.ts';
import { Mistakes } from './reader/mistakes.ts';
import { type Reading, readAs } from './reader/shape.ts';
import { checkComputed, checkCopies, checkDerivedNames, checkLinks, checkReferences } from './references.ts';
import { draftRoles } from './roles.ts';
import { draftActions, draftFunctions, draftQueries } from './routines.ts';
import { draftSearches } from './search.ts';
import { draftWebhooks } from './webhooks.ts';

export function readDeclaration(file: string): CatalogueDraft {
  return parseDeclaration(readText(file), file);
}

/** `file` names the declaration in messages, and paths of row files are relative to it. */
export function parseDeclaration(text: string, file: string): CatalogueDraft {
  const mistakes = new Mistakes();
  const draft = draftOfText(text, file, mistakes);
  mistakes.settle(file);
  return draft;
}

function draftOfText(text: string, file: string, mistakes: Mistakes): CatalogueDraft {
  const root = parseNodes(text, mistakes);
  if (root === undefined) return { collections: [] };
  const reading: Reading = { mistakes, path: '', at: root.at };
  const declaration = readAs(FORMAT, root, reading, say`a declaration`);
  const declared = declaration?.collections?.value ?? [];
  const drafts = declared.flatMap((each) => draftCollection(each, file, declaration?.language?.value) ?? []);
  const collections = withComments(declared, draftSearches(declared, checkLinks(declared, drafts)));
  checkFormerNames(declared, 'collection');
  checkReferences(declared, collections);
  checkCopies(declared, collections);
  checkComputed(declared);
  // Only for a declaration without other mistakes: names are derived from it, queries and paths in rules are planned.
  const catalogue = mistakes.any ? undefined : declareCatalogue({ collections });
  if (catalogue !== undefined) checkDerivedNames(declared, catalogue);
  const { roles, queries, actions, functions, webhooks, language } = declaration ?? {};
  const routines = [...(queries?.value ?? []), ...(functions?.value ?? [])].map(({ name }) => name);
  const callable = [...routines, ...(actions?.value ?? []).map(({ name }) => name)];
  return defined({
    collections,
    language: language?.value,
    queries: queries && (catalogue === undefined ? [] : draftQueries(queries.value, catalogue, language?.value)),
    actions: actions && (catalogue === undefined ? [] : draftActions(actions.value, catalogue, routines)),
    functions: functions && draftFunctions(functions.value, declared, routines),
    roles: roles && draftRoles(roles.value, declared, collections, callable, catalogue),
    webhooks: webhooks && draftWebhooks(webhooks.value, declared, collections, catalogue),
  });
}
