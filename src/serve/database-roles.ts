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
import { lazyAsync } from '../base/memo.ts';
import type { Caller } from '../collection/access/caller.ts';
import { viewOf } from '../collection/access/views.ts';
import { type Catalogue, declareCatalogue } from '../collection/declaration.ts';
import type { SchemaEngines } from '../engine/open.ts';
import type { Call } from '../http/call.ts';
import type { Pages } from '../http/pages.ts';
import { type Described, describe } from '../openapi/document.ts';
import { settingsOf } from '../requests/routine.ts';
import type { Identify } from '../response/authenticate.ts';
import { andThen, type RequestContext } from '../response/request-context.ts';
import { claimPath } from '../settings/access.ts';
import { ConfigError, type ServeSettings } from '../settings/by-command.ts';
import { catalogueSettings } from './declaration-access.ts';

/** How often the service looks for changed definitions. */
const WATCH_MS = 2_000;
/** How long it waits for a database that does not answer at the start. */
const RETRY_MS = 1_000;

interface RolesOptions {
  readonly settings: ServeSettings;
  readonly verifier: Verifier | undefined;
  readonly shared: Omit<AppOptions, 'catalogue' | 'engine' | 'pages'>;
  readonly pagesOf: (described: Described) => Pages;
  readonly notice: (message: string) => void;
}

export interface SchemaApps extends App {
  /** The names of the collections in the first schema. */
  readonly names: readonly string[];
  stop(): void;
}

/** Throws a `ConfigError` for settings that do not fit the mode. */
export function checkDatabaseRoles(settings: ServeSettings, hasRoles: boolean): void {
  if (!settings.databaseRoles) {
    const given = [
      ['--anonymous-role', settings.anonymousRole !== ''],
      ['--schemas', settings.schemas.length > 0],
      ['--pre-request', settings.preRequest !== ''],
      ['--app-settings', Object.keys(settings.appSettings).length > 0],
    ].find(([, isGiven]) => isGiven);
    if (given !== undefined) throw new ConfigError(`${given[0]} needs --database-roles`);
    return;
  }
  if (hasRoles) throw new ConfigError('--database-roles and a declaration exclude each other: remove the declaration');
  if (settings.anonymousRole === '' && settings.jwtSecret === '' && settings.jwks === '') {
    throw new ConfigError('--database-roles needs --jwt-secret or --jwks for tokens, or --anonymous-role');
  }
}

/** Describes the schemas and serves them. Waits for a database that does not answer yet. */
export async function openDatabaseRoles(owner: SchemaEngines, options: RolesOptions): Promise<SchemaApps> {
  const { settings, notice } = options;
  const schemas = settings.schemas.length === 0 ? [settings.schema] : settings.schemas;
  const identify = identifyBy(settings, options.verifier);
  let definitions = '';
  const describeAll = async () => {
    const found = await owner.definitions(schemas);
    const built = await Promise.all(schemas.map((schema) => openSchema(owner, schema, schemas, identify, options)));
    definitions = found;
    return new Map(built.map((each) => [each.schema, each]));
  };
  let apps = await untilAvailable(describeAll, notice);
  const describeChanges = async (): Promise<boolean> => {
    try {
      if ((await owner.definitions(schemas)) === definitions) return false;
      apps = await describeAll();
      notice('the definitions in the database have changed, and were read again');
      return true;
    } catch (error) {
      // While the database does not answer, the requests say so.
      if (!(error instanceof ApiError) || error.status < 500) notice(`the database could not be described: ${error}`);
      return false;
    }
  };
  let watching: Promise<boolean> | undefined;
  const noticeChanges = () => {
    watching ??= describeChanges().finally(() => (watching = undefined));
    return watching;
  };
  const timer = setInterval(noticeChanges, WATCH_MS);
  timer.unref();
  const first = () => apps.get(schemas[0]!)!;
  const appOf = (request: Request) => (apps.get(profileOf(request) ?? '') ?? first()).app;
  return {
    // A read of a column that was just dropped fails in the database: it is answered again.
    fetch: (request, peer) =>
      andThen(appOf(request).fetch(request, peer), (response) => {
        if (response.status !== 503 || (request.method !== 'GET' && request.method !== 'HEAD')) return response;
        return noticeChanges().then((isChanged) => (isChanged ? appOf(request).fetch(request, peer) : response));
      }),
    metrics: () => first().app.metrics(),
    removeOrphans: async () => false,
    names: [...first().catalogue.collections.keys()],
    stop: () => clearInterval(timer),
  };
}

async function untilAvailable<T>(work: () => Promise<T>, notice: (message: string) => void): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'CAT503') throw error;
      if (attempt === 1) notice(error.details ?? error.message);
      await Bun.sleep(RETRY_MS);
    }
  }
}

/** Writes name the schema in Content-Profile, reads in Accept-Profile. */
function profileOf({ method, headers }: Request): string | null {
  return headers.get(method === 'GET' || method === 'HEAD' ? 'accept-profile' : 'content-profile');
}

interface SchemaApp {
  readonly schema: string;
  readonly catalogue: Catalogue;
  readonly app: App;
}

async function openSchema(
  owner: SchemaEngines,
  schema: string,
  schemas: readonly string[],
  identify: Identify,
  { settings, shared, pagesOf }: RolesOptions,
): Promise<SchemaApp> {
  const { collections, functions = [] } = await owner.describeSchema(schema);
  const drafts = collections.map((each) => ({ ...each.draft, schema }));
  const draft = { schema, collections: drafts, functions, ...catalogueSettings(settings) };
  const catalogue = declareCatalogue(draft);
  const engine = owner.forSchema(schema, catalogue);
  await engine.opened;
  const { preRequest } = settings;
  const app = createApp({
    ...shared,
    catalogue,
    engine,
    schema,
    schemas,
    pages: pagesOf(describe({ catalogue, rows: () => [] })),
    databaseRoles: {
      identify,
      describedTo: byRole(async (role) => {
        const privileges = await owner.privileges(schema, role);
        const withRole = declareCatalogue({ ...draft, roles: [declaredPart(catalogue, privileges)] });
        return viewOf(withRole, withRole.roles!.get(role)!);
      }),
      engineOf: (context, caller) =>
        engine.as!({
          role: caller.role,
          isAnonymous: caller.identity === undefined,
          settings: requestSettings(context, settings),
          ...(preRequest === '' ? {} : { preRequest: quotedName(preRequest) }),
        }),
    },
  });
  return { schema, catalogue, app };
}

type Privileges = Awaited<ReturnType<SchemaEngines['privileges']>>;

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

/** The results by role. A change of privileges is a change of definitions. */
function byRole(describeTo: (role: string) => Promise<Catalogue>): (role: string) => Promise<Catalogue> {
  const results = new Map<string, () => Promise<Catalogue>>();
  return (role) => {
    if (results.size > MAX_ROLES) results.clear();
    if (!results.has(role))
      results.set(
        role,
        lazyAsync(() => describeTo(role)),
      );
    return results.get(role)!();
  };
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
    if (role === '') throw credentialsNeeded();
  };
  const tokens = new Tokens(verifier, { audience, issuer, role: claimPath(jwtRoleClaim)!, anonymous }, checkRole);
  const nobody: Caller = { role: anonymous, claims: {} };
  return ({ headers }) => {
    const credentials = credentialsOf(headers, () => ({ isSecure: false, prefix: '' }));
    if (credentials !== undefined && credentials.kind !== 'session') return tokens.callerOf(credentials.text);
    checkRole(nobody);
    return nobody;
  };
}
