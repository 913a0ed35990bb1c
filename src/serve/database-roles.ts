/**
 * The mode of database roles: each request runs as the PostgreSQL role of its token. The service describes the schemas
 * as it finds them, one app for each, and describes them again when a definition has changed.
 */
import { type App, type AppOptions, createApp } from '../app.ts';
import { credentialsNeeded } from '../auth/errors.ts';
import { credentialsOf } from '../auth/request-credentials.ts';
import { Tokens } from '../auth/tokens.ts';
import type { Verifier } from '../auth/verifiers.ts';
import { ApiError } from '../base/errors.ts';
import { keepRecent } from '../base/memo.ts';
import { decode } from '../base/net/query-string.ts';
import type { Caller } from '../collection/access/caller.ts';
import { viewOf } from '../collection/access/views.ts';
import { type Catalogue, declareCatalogue } from '../collection/declaration.ts';
import type { CollectionDraft, FunctionDraft } from '../collection/draft.ts';
import type { Additions } from '../declare/additions.ts';
import type { SchemaEngines } from '../engine/open.ts';
import { Call } from '../http/call.ts';
import type { Pages } from '../http/pages.ts';
import { type Described, describe } from '../openapi/described.ts';
import { settingsOf } from '../requests/routine.ts';
import type { Identify } from '../response/authenticate.ts';
import { andThen, type RequestContext } from '../response/request-context.ts';
import { claimPath } from '../settings/access.ts';
import { ConfigError, type ServeSettings } from '../settings/by-command.ts';
import { catalogueSettings } from './declaration-access.ts';

/** How long it waits for a database that does not answer at the start. */
const RETRY_MS = 1_000;

interface RolesOptions {
  readonly settings: ServeSettings;
  readonly verifier: Verifier | undefined;
  readonly shared: Omit<AppOptions, 'catalogue' | 'engine' | 'pages'>;
  readonly pagesOf: (described: Described) => Pages;
  /** The additions of a declaration to the tables. */
  readonly additions: Additions | undefined;
  readonly notice: (message: string) => void;
  readonly askedToStop: Promise<void>;
}

export interface SchemaApps extends App {
  /** The names of the collections in the first schema. */
  readonly names: readonly string[];
  stop(): void;
}

/**
 * Describes the schemas and serves them. Waits for a database that does not answer yet; undefined if a stop is
 * requested meanwhile.
 */
export async function openDatabaseRoles(owner: SchemaEngines, options: RolesOptions): Promise<SchemaApps | undefined> {
  const { settings, additions } = options;
  const schemas = settings.schemas.length === 0 ? [settings.schema] : settings.schemas;
  const identify = identifyBy(settings, options.verifier);
  /** How often a statement did not fit the database. */
  let misfits = 0;
  const onMisfit = () => void misfits++;
  const describeAll = async () => {
    return Promise.all(
      schemas.map(async (schema) => {
        const { collections, functions = [] } = await owner.describeSchema(schema);
        return { schema, collections: collections.map(({ draft }) => draft), functions };
      }),
    );
  };
  let apps = new Map<string, SchemaApp>();
  /** Resolves to the definitions that are described. */
  const openAll = async (check?: Additions['check']): Promise<string> => {
    const known = await owner.database.definitions(schemas);
    try {
      const described = await describeAll();
      check?.(described.map(({ collections }) => collections));
      const common = { schemas, identify, onMisfit, ofDatabase: await owner.databaseSettings() };
      const opened = await Promise.all(described.map((each) => openSchema(owner, { ...common, ...each }, options)));
      apps = new Map(opened.map((each) => [each.schema, each]));
      return known;
    } catch (error) {
      // A definition may have changed meanwhile.
      if ((await owner.database.definitions(schemas)) === known) throw error;
      return openAll(check);
    }
  };
  const known = await untilAvailable(async () => {
    await checkNames(owner, schemas, options);
    return openAll(additions?.check);
  }, options);
  if (known === undefined) return undefined;
  const watch = owner.database.watchDefinitions(schemas, known, () => openAll());
  const first = () => apps.get(schemas[0]!)!;
  const appOf = (call: Call) => (apps.get(call.profile ?? '') ?? first()).app;
  const answer: App['answer'] = (call) => {
    const before = misfits;
    return andThen(appOf(call).answer(call), (response) => {
      if (misfits === before) return response;
      const changed = watch.look();
      if (!call.isRead) return response;
      // A read of a column that was just dropped fails in the database: it is answered again.
      return changed.then((isChanged) => {
        if (!isChanged) return response;
        void response.body?.cancel().catch(() => undefined);
        return appOf(call).answer(call.copy());
      });
    });
  };
  return {
    answer,
    fetch: (request, peer) => answer(Call.of(request, peer)),
    metrics: () => first().app.metrics(),
    removeOrphans: async () => false,
    names: [...first().catalogue.collections.keys()],
    stop: () => watch.stop(),
  };
}

/** Rejects an anonymous role that does not exist. A schema may be created later: the service serves it then. */
async function checkNames(
  owner: SchemaEngines,
  schemas: readonly string[],
  { settings: { anonymousRole }, notice }: RolesOptions,
): Promise<void> {
  for (const { kind, name } of await owner.missingNames(anonymousRole, schemas)) {
    if (kind === 'role') {
      throw new ConfigError(
        `--anonymous-role: the database has no role "${name}". Create it, or name the role of requests without a token`,
      );
    }
    notice(`the database has no schema "${name}". Create it, or name another one in --schemas`);
  }
}

async function untilAvailable<T>(
  work: () => Promise<T>,
  { notice, askedToStop }: Pick<RolesOptions, 'notice' | 'askedToStop'>,
): Promise<T | undefined> {
  const stopped = askedToStop.then(() => true);
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'CAT503') throw error;
      if (attempt === 1) notice(error.details ?? error.message);
      if (await Promise.race([stopped, Bun.sleep(RETRY_MS)])) return undefined;
    }
  }
}

interface SchemaApp {
  readonly schema: string;
  readonly catalogue: Catalogue;
  readonly app: App;
}

interface DescribedSchema {
  readonly schema: string;
  readonly schemas: readonly string[];
  readonly identify: Identify;
  readonly onMisfit: () => void;
  readonly collections: readonly CollectionDraft[];
  readonly functions: readonly FunctionDraft[];
  readonly ofDatabase: Awaited<ReturnType<SchemaEngines['databaseSettings']>>;
}

async function openSchema(
  owner: SchemaEngines,
  { schema, schemas, identify, onMisfit, collections, functions, ofDatabase }: DescribedSchema,
  { settings, shared, pagesOf, additions }: RolesOptions,
): Promise<SchemaApp> {
  const drafts = (additions?.addTo(collections) ?? collections).map((each) => ({ ...each, schema }));
  const draft = { schema, collections: drafts, functions, ...catalogueSettings(settings) };
  const catalogue = declareCatalogue(draft);
  const engine = owner.forSchema(schema, catalogue);
  await engine.opened;
  const { preRequest } = settings;
  const views = keepRecent<Catalogue>(MAX_ROLES);
  const app = createApp({
    ...shared,
    catalogue,
    engine,
    schema,
    schemas,
    pages: pagesOf(describe({ catalogue, rows: () => [] })),
    databaseRoles: {
      identify,
      anonymousRole: settings.anonymousRole,
      // A change of privileges is a change of definitions, which opens another app.
      describedTo: (role) =>
        views(role, async () => {
          const session = { role, isAnonymous: role === settings.anonymousRole, settings: {} };
          const privileges = await engine.as(session).privileges();
          const withRole = declareCatalogue({ ...draft, roles: [declaredPart(catalogue, privileges)] });
          return viewOf(withRole, withRole.roles!.get(role)!);
        }),
      engineOf: (context, caller) => {
        const { target } = context.call;
        const routine = target.kind === 'routine' ? decode(target.name) : '';
        return engine.as({
          role: caller.role,
          isAnonymous: caller.role === settings.anonymousRole,
          settings: {
            ...ofDatabase.roles.get(caller.role),
            ...ofDatabase.functions.get(`${schema}.${routine}`),
            ...requestSettings(context, settings),
          },
          onMisfit,
          ...(preRequest === '' ? {} : { preRequest: quotedName(preRequest) }),
        });
      },
    },
  });
  return { schema, catalogue, app };
}

type Privileges = Awaited<ReturnType<ReturnType<SchemaEngines['forSchema']>['privileges']>>;

/** Columns and functions that the description leaves out. */
function declaredPart({ collections, routines }: Catalogue, privileges: Privileges): Privileges {
  const rules = privileges.rules.flatMap((rule) => {
    const collection = collections.get(rule.collection);
    if (collection === undefined) return [];
    const fields = rule.fields?.filter((name) => collection.byName.has(name));
    return fields === undefined ? [rule] : fields.length === 0 ? [] : [{ ...rule, fields }];
  });
  return { ...privileges, rules, call: (privileges.call ?? []).filter((name) => routines.has(name)) };
}

/** Tokens may name any role. */
const MAX_ROLES = 100;

function requestSettings(context: RequestContext, { appSettings }: ServeSettings): Record<string, string> {
  const own = Object.entries(appSettings).map(([name, value]) => [`app.settings.${name}`, value]);
  const { timezone } = context.call.preferences;
  return {
    ...settingsOf(context),
    ...Object.fromEntries(own),
    ...(timezone === undefined ? {} : { timezone }),
  };
}

/** `schema.function`, or a function in the search path. */
function quotedName(name: string): string {
  return name
    .split('.')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.');
}

/** Tokens are the only credentials. A request without one has the anonymous role. */
function identifyBy(settings: ServeSettings, verifier: Verifier | undefined): (call: Call) => Caller | Promise<Caller> {
  const { jwtAudience: audience, jwtIssuer: issuer, jwtRoleClaim, anonymousRole: anonymous } = settings;
  const checkRole = ({ role }: Caller) => {
    // `set role none` would mean the role of the connection.
    if (role === '' || role === 'none') throw credentialsNeeded();
  };
  const tokens = new Tokens(verifier, { audience, issuer, role: claimPath(jwtRoleClaim)!, anonymous }, checkRole);
  const nobody: Caller = { role: anonymous, claims: {} };
  return (call) => {
    const credentials = credentialsOf(call, () => ({ isSecure: false, prefix: '' }));
    if (credentials !== undefined && credentials.kind !== 'session') return tokens.callerOf(credentials.text);
    checkRole(nobody);
    return nobody;
  };
}
