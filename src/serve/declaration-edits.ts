/**
 * The declaration at /catalogue/declaration, for callers with every right. GET returns its text. PATCH takes a JSON
 * Merge Patch and plans the migration; with `Prefer: tx=rollback` that is all. Otherwise it replaces the file and the
 * workers. `allow` in the query permits a change that loses data, as in `catalogue migrate --allow`.
 */

import { ApiError, NOTHING_CHANGED } from '../base/errors.ts';
import { MAX_DECLARATION_BYTES } from '../base/limits/declaration.ts';
import { about, type Sentence, say, withoutPath } from '../base/sentence.ts';
import { type Catalogue, type CatalogueSettings, declareCatalogue } from '../collection/declaration.ts';
import { readText, versionOf } from '../declare/declaration-file.ts';
import { parseDeclaration } from '../declare/read.ts';
import { type Node, parseNodes, pathAt } from '../declare/reader/document.ts';
import { DeclarationError, Mistakes } from '../declare/reader/mistakes.ts';
import { mergeIntoText } from '../declare/writer/merge.ts';
import { blockedBy, type MigrationPlan, problemLines } from '../engine/migration/words.ts';
import { isInMemory, maintenanceOf } from '../engine/open.ts';
import type { Answer } from '../http/answer.ts';
import { BodyReceiver } from '../http/body/body-receiver.ts';
import { objectIn } from '../http/body/parse-body.ts';
import { type Audit, jsonAnswer, type ResourceRequest, type Resources } from '../response/own-resources.ts';
import { ConfigError, type DatabaseSettings } from '../settings/by-command.ts';

/** A text that replaces the declaration if it still has this version. */
export interface DeclarationEdit {
  readonly text: string;
  readonly previous: string;
  /** Permitted data loss, in the syntax of `catalogue migrate --allow`. */
  readonly allowed: readonly string[];
}

/** `changed`: the file has another version. A sentence says why the edit failed. */
export type EditOutcome = 'done' | 'changed' | Sentence;

interface EditOptions {
  readonly file: string;
  /** The text that this process serves. */
  readonly served: string;
  readonly settings: DatabaseSettings & { readonly database: string };
  readonly catalogueSettings?: CatalogueSettings;
  /** Replaces the file and all workers. Absent if the service may not change the file. */
  readonly apply?: (edit: DeclarationEdit) => Promise<EditOutcome>;
  readonly audit?: Audit;
}

export function declarationEdits(options: EditOptions): Resources {
  const { file, settings, apply, audit } = options;
  const servedVersion = versionOf(options.served);
  const bodies = new BodyReceiver(MAX_DECLARATION_BYTES);

  async function show(): Promise<Answer> {
    const text = currentText(file);
    const version = versionOf(text);
    const body = { file, editable: apply !== undefined, served: version === servedVersion, text: withoutSecrets(text) };
    return jsonAnswer(200, body, { etag: `"${version}"` });
  }

  async function change({ context }: ResourceRequest): Promise<Answer> {
    const { call } = context;
    const patch = await objectIn(bodies, call, 'a JSON object: a merge patch of the declaration');
    const isDryRun = call.preferences.tx === 'rollback';
    const before = currentText(file);
    const previous = versionOf(before);
    const expected = call.ifMatch;
    if (expected !== undefined && expected !== '*' && !expected.includes(previous)) throw changedFile(file);
    if (previous !== servedVersion) throw newerFile(file);
    const text = mergeIntoText(before, patch, file.endsWith('.json'));
    rejectRowFiles(before, text);
    const allowed = new URLSearchParams(call.query).getAll('allow');
    const plan = await planOf(text, options, context.caller?.role, allowed);
    const answer = { file, ...plan, text: withoutSecrets(text) };
    if (isDryRun) return jsonAnswer(200, { ...answer, written: false }, { 'preference-applied': 'tx=rollback' });
    if (apply === undefined) throw notEditable(file);
    if (plan.problems.length > 0) throw unsafe(plan);
    const outcome = text === before ? 'done' : await apply({ text, previous, allowed });
    if (outcome === 'changed') throw changedFile(file);
    if (outcome !== 'done') throw failed(outcome);
    audit?.('the declaration was changed', {
      by: context.caller?.name ?? context.caller?.role,
      steps: plan.steps.join(', '),
      ...(allowed.length > 0 && { allowed: allowed.join(', ') }),
    });
    return jsonAnswer(200, { ...answer, written: true }, { etag: `"${versionOf(text)}"` });
  }

  if (!isInMemory(settings.database)) return { declaration: { GET: show, HEAD: show, PATCH: change } };
  const reject = () => Promise.reject(new ApiError('PGRST127', 'a catalogue in memory has no migration plan'));
  return { declaration: { GET: reject, HEAD: reject, PATCH: reject } };
}

function currentText(file: string): string {
  try {
    return readText(file);
  } catch (error) {
    throw error instanceof ConfigError ? new ApiError('CAT503', error.message) : error;
  }
}

/** Nobody locks themselves out by mistake: a role that loses its rights could not change the declaration back. */
async function planOf(
  text: string,
  { file, settings, catalogueSettings }: EditOptions,
  role: string | undefined,
  allowed: readonly string[],
): Promise<MigrationPlan> {
  const catalogue = catalogueOf(text, file, catalogueSettings);
  try {
    const plan = await maintenanceOf(settings.database, catalogue, settings).plan({});
    const problems = blockedBy(plan.problems, allowed);
    const { roles } = catalogue;
    if (role === undefined || roles === undefined || roles.get(role)?.isAll) return { ...plan, problems };
    const locked = say`your role ${role} would lose rights, so you could not undo the change`;
    return { ...plan, problems: [...problems, locked] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ApiError('CAT503', say`the migration cannot be planned`, {
      details: say`${error.wording}.`,
      nothingChanged: true,
      headers: { 'retry-after': '10' },
    });
  }
}

function catalogueOf(text: string, file: string, catalogueSettings: CatalogueSettings | undefined): Catalogue {
  try {
    if (Buffer.byteLength(text) > MAX_DECLARATION_BYTES) {
      throw new ConfigError(say`it is larger than ${MAX_DECLARATION_BYTES} bytes`);
    }
    const draft = parseDeclaration(text, file);
    return declareCatalogue({ ...draft, ...catalogueSettings });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ApiError('CAT400D', say`the declaration would be invalid`, {
      details: `${error.message}\n${NOTHING_CHANGED}`,
      ...(error instanceof DeclarationError && { errors: mistakesByPath(text, error) }),
    });
  }
}

/** The mistakes with the paths of their members, so that a form can show each at its input. */
function mistakesByPath(text: string, { mistakes }: DeclarationError): readonly ApiError[] {
  const root = parseNodes(text, new Mistakes());
  return mistakes.map(({ message, ...place }) => {
    const field = root === undefined ? '' : pathAt(root, place).join('.');
    return new ApiError('CAT400D', withoutPath(message, field), { field });
  });
}

/** A request must not read files of the machine: their rows, or whether they exist. */
function rejectRowFiles(before: string, text: string): void {
  const earlier = rowFilesIn(before);
  const [name] = [...rowFilesIn(text)].find(([each, rows]) => earlier.get(each) !== rows) ?? [];
  if (name === undefined) return;
  throw new ApiError('CAT400D', about(name, say`a request may not set rows, which names a file of this machine`), {
    nothingChanged: true,
    hint: say`Change the file by hand, or send the rows in a request.`,
  });
}

/** The text with a placeholder for each secret of a webhook. */
function withoutSecrets(text: string): string {
  return text.replace(/whsec_[A-Za-z0-9+/]+=*/g, 'whsec_…');
}

function changedFile(file: string): ApiError {
  return new ApiError('CAT412', say`${file} has changed since it was read`, {
    nothingChanged: true,
    hint: say`Read it again, and repeat the change.`,
  });
}

function newerFile(file: string): ApiError {
  return new ApiError('CAT412', say`${file} has changed since the service started`, {
    nothingChanged: true,
    hint: say`Start the service again, which applies the file.`,
  });
}

function notEditable(file: string): ApiError {
  return new ApiError('42501', `this service may not change ${file}`, {
    nothingChanged: true,
    hint: 'Change the file by hand, or start the service with --edit-declaration.',
  });
}

function unsafe(plan: MigrationPlan): ApiError {
  return new ApiError('CAT409D', say`the change could lose or reject stored data`, {
    details: `${problemLines(plan).join('\n')}\n${NOTHING_CHANGED}`,
    hint: say`Send what is listed as --allow as parameters: ?allow=drop:products.colour. Correct the rows of the others.`,
  });
}

function failed(reason: Sentence): ApiError {
  return new ApiError('CAT409D', say`the new declaration could not be applied`, {
    details: say`${reason}.`,
    hint: say`The log of the service contains the reason.`,
  });
}

/**
 * The files of rows that a declaration names, by collection, with aliases and merge keys resolved as for the service.
 * Opens none of them. Empty for a text that is not YAML.
 */
function rowFilesIn(text: string): ReadonlyMap<string, string> {
  const collections = member(parseNodes(text, new Mistakes()), 'collections');
  const found = entriesOf(collections).flatMap(({ key, node }): [string, string][] => {
    const rows = member(node, 'rows');
    return rows?.kind === 'text' ? [[key, rows.text]] : [];
  });
  return new Map(found);
}

function member(node: Node | undefined, name: string): Node | undefined {
  return entriesOf(node).find(({ key }) => key === name)?.node;
}

function entriesOf(node: Node | undefined) {
  return node?.kind === 'map' ? node.entries : [];
}
