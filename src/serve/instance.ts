/** One serving process: opens the database, listens, and stops cleanly on request. */

import { type App, createApp } from '../app.ts';
import type { Authentication } from '../auth/access.ts';
import { ApiError } from '../base/errors.ts';
import { DRAIN_SECONDS } from '../base/limits/http.ts';
import { lazyAsync } from '../base/memo.ts';
import type { Metric } from '../base/metric.ts';
import { isLoopback } from '../base/net/address.ts';
import { BUILT_IN } from '../collection/built-in.ts';
import { type Catalogue, declareCatalogue } from '../collection/declaration.ts';
import { FILES_NAME, served } from '../collection/files.ts';
import { consolePages, startPath } from '../console/pages.ts';
import { loadCatalogue } from '../declare/load-catalogue.ts';
import type { Engine } from '../engine/engine.ts';
import { createStep } from '../engine/migration/words.ts';
import { loadEngine, openEngine, schemaEngines } from '../engine/open.ts';
import { LazyFeed } from '../feed/lazy-feed.ts';
import type { Storage } from '../files/storage/storage.ts';
import { firstPage } from '../http/pages.ts';
import type { ServiceStatus } from '../observe/health.ts';
import type { Log } from '../observe/log.ts';
import { Observation } from '../observe/observation.ts';
import { requestIds } from '../observe/request-id.ts';
import type { SpanExporter } from '../observe/span-exporter.ts';
import { type Described, describe } from '../openapi/described.ts';
import { openApiPages } from '../openapi/pages.ts';
import { NO_ROWS } from '../plan/write/first-rows.ts';
import { makeEdgeChecks } from '../response/edge-checks.ts';
import type { Audit } from '../response/own-resources.ts';
import type { CompletedRequest } from '../response/request-context.ts';
import { ConfigError, type ServeSettings } from '../settings/by-command.ts';
import type { BackUp } from './backups/resources.ts';
import type { Certificate } from './certificate.ts';
import { checkDatabaseRoles } from './check-database-roles.ts';
import type { SchemaApps } from './database-roles.ts';
import { catalogueSettings, openDeclarationEdits, readServedDeclaration } from './declaration-access.ts';
import type { DeclarationEdit, EditOutcome } from './declaration-edits.ts';
import { watchMemory } from './idle-memory.ts';
import { watchOrphans } from './orphan-watch.ts';
import { sharedPort, startListening } from './ports.ts';
import { limitsOf, rateOfCaller } from './rates.ts';
import type { RunningServer } from './server.ts';
import { describeRowCounts, readByVisitors, type StartMessage } from './start-message.ts';
import type { Webhooks } from './webhooks/webhooks.ts';

interface ProcessContext {
  readonly log: Log;
  readonly askedToStop: Promise<void>;
  /** Whether the supervisor of this process has died, so that nothing takes over its port. */
  readonly isAbandoned?: () => boolean;
  readonly certificate?: Certificate | undefined;
  /** Metrics of work beside the service. */
  readonly metrics?: () => readonly Metric[];
  /** The file in which all processes count requests together. */
  readonly ratesFile?: string | undefined;
  /** Permitted data loss of the migration. */
  readonly allowed?: readonly string[];
  /** Reports on the whole service, if this process is one of several. */
  readonly whole?: ServiceStatus;
  /** Called before anything is opened, so that health checks work from the start. */
  readonly onObservation?: (observation: Observation) => void;
  /** Called when the process listens. */
  readonly onListening?: (listening: RunningServer) => void;
  /** Changes the declaration of all workers, if this process is one of them. */
  readonly applyEdit?: (edit: DeclarationEdit) => Promise<EditOutcome>;
  /** Backs up the database now, if the service makes backups. */
  readonly backUp?: BackUp;
  readonly onStarted: (greeting: StartMessage) => void | Promise<void>;
}

/** With roles of the database, the database itself describes the collections. */
const NO_CATALOGUE = { catalogue: declareCatalogue({ collections: [] }), rows: () => [], firstRows: () => [] };
/** The response while the database is not described yet. */
const STARTING = { status: 503, headers: { 'retry-after': '1' } };

/** Resolves when the process has stopped serving. */
export async function serveHere(requested: ServeSettings, context: ProcessContext): Promise<void> {
  const { log, askedToStop, certificate, whole, onObservation, onListening, onStarted } = context;
  const isOnlyProcess = !requested.handover && requested.workers === 1;
  // With a certificate, the socket allows sharing: make sure that the port is free.
  const settings =
    isOnlyProcess && certificate !== undefined ? { ...requested, port: await sharedPort(requested) } : requested;
  const { databaseRoles } = settings;
  const declaration = readServedDeclaration(settings);
  checkDatabaseRoles(settings);
  const additions =
    databaseRoles && declaration !== undefined
      ? (await import('../declare/additions.ts')).readAdditions(declaration.served, declaration.file)
      : undefined;
  const loaded = databaseRoles
    ? NO_CATALOGUE
    : await loadCatalogue(settings.collections, { withRows: !settings.empty, ...catalogueSettings(settings) });
  // The engine stores more collections than the service serves.
  const { catalogue: stored } = loaded;
  const catalogue = served(stored);
  const described = describe(loaded);
  const { roles } = catalogue;
  const needsAuth = roles !== undefined || settings.jwtSecret !== '' || settings.jwks !== '';
  // Only loaded if this service needs it.
  const auth = needsAuth ? await import('../auth/access.ts') : undefined;
  const administration = roles && {
    ...(await import('./backups/resources.ts')),
    ...(await import('./webhooks/resources.ts')),
  };
  const sending = catalogue.draft.webhooks?.length ? await import('./webhooks/webhooks.ts') : undefined;
  const verifier = await auth?.openVerifier(settings, (message) => log.write('warn', message));
  if (roles === undefined && verifier !== undefined && !databaseRoles) {
    if (!settings.isPublic) throw new ConfigError(tokensWithoutRoles(settings));
    log.write('warn', 'the declaration has no roles: a token changes nothing');
  }
  const exporter = await openExporter(settings.otlpEndpoint, log);
  const tracing = exporter && new (await import('../observe/tracing.ts')).Tracing(exporter);
  const mcp = settings.mcp ? await import('./mcp/mcp.ts') : undefined;
  const audit: Audit = (event, about) => log.write('info', event, about);
  const edits = await openDeclarationEdits(declaration, settings, {
    hasRoles: roles !== undefined,
    audit,
    apply: context.applyEdit,
  });
  // Before the database is opened and migrated.
  for (const each of catalogue.draft.webhooks ?? []) sending?.secretKey(each, process.env);
  await loadEngine(settings.database);
  let app: App | undefined;
  let schemaApps: SchemaApps | undefined;
  let access: Authentication | undefined;
  let engine: Engine | undefined;
  let feed: LazyFeed | undefined;
  let listening: RunningServer | undefined;
  let webhooks: Webhooks | undefined;
  let drainSeconds = 0;
  let endWatching = () => {};
  let endOrphans = () => {};
  const observation = new Observation(databaseRoles ? BUILT_IN.catalogue : catalogue, settings, log, {
    engine: () => engine,
    inProgress: () => listening?.inProgress() ?? 0,
    app: () => [app, access, feed, webhooks, exporter, context].flatMap((each) => each?.metrics?.() ?? []),
    whole,
  });
  onObservation?.(observation);
  // A process that shares a port opens the database first, since others already answer on it.
  const notice = (message: string) => log.write('warn', message);
  try {
    // Listen first, so that a port in use leaves no database behind. The rest runs in the same turn of the event loop:
    // no request arrives before the app exists.
    const answer: App['answer'] = (call) => app?.answer(call) ?? new Response(null, STARTING);
    const respond: App['answer'] =
      tracing === undefined ? answer : (call) => tracing.run(call.traceParent, () => answer(call));
    if (isOnlyProcess) listening = startListening(settings, respond, notice, certificate);
    engine = openEngine(settings.database, {
      serves: true,
      allowed: context.allowed ?? [],
      rejectsCredentials: roles === undefined && !settings.isPublic && !databaseRoles,
      catalogue: stored,
      firstRows: settings.empty ? NO_ROWS : loaded.firstRows,
      notice: (level, message) => log.write(level, message),
      ...settings,
      // The service creates nothing in a database that decides about permissions itself.
      ...(databaseRoles
        ? { creation: 'never' as const, historyDays: 0, schema: settings.schemas[0] ?? settings.schema }
        : {}),
    });
    if (tracing !== undefined) engine = tracing.around(engine);
    const schemas = databaseRoles ? schemaEngines(engine) : undefined;
    const edgeChecks = makeEdgeChecks({
      ...settings,
      isOnLoopback: isLoopback(settings.host),
      hasCredentials: roles !== undefined || databaseRoles,
      limits: limitsOf(settings, context.ratesFile, log, roles && rateOfCaller(roles, settings.rateLimit !== '')),
    });
    const { proxies } = edgeChecks;
    if (roles !== undefined)
      access = auth?.openAuthentication({ engine, settings, verifier, catalogue, proxies, audit });
    const { maxFeeds, maxFeedsPerCaller } = settings;
    feed = new LazyFeed({ engine, catalogue, maxFeeds, maxFeedsPerCaller });
    webhooks = sending && new sending.Webhooks(engine, catalogue, settings, log);
    const storage = openFiles(engine, stored, settings.files, notice);
    const shared = {
      ...(storage === undefined ? {} : { storage }),
      feed: feed.answer,
      maxBodyBytes: settings.maxBodyMb * 1024 * 1024,
      maxFileBytes: settings.maxFileBytes,
      maxTotalFileBytes: settings.maxTotalFileMb * 1024 * 1024,
      maxResizedBytes: settings.maxResizedMb * 1024 * 1024,
      allowUnfilteredWrites: settings.allowUnfilteredWrites,
      maxRows: settings.maxRows,
      basePath: settings.basePath,
      schema: settings.schema,
      steps: webhooks === undefined ? [] : [webhooks.middleware],
      resources: {
        ...(access && {
          ...access.resources,
          ...administration?.webhookResources(engine, catalogue, webhooks, audit),
          ...administration?.backupResources(settings, audit, settings.backupSeconds > 0 ? context.backUp : undefined),
        }),
        ...edits,
      },
      ...(access === undefined ? {} : { identify: access.identify }),
      onAnswer: (answer: CompletedRequest) => {
        tracing?.end(answer);
        observation.onAnswer(answer);
      },
      onCut: observation.onCut,
      requestIds: requestIds(log.enabled('info'), tracing?.parent),
      isTraced: tracing !== undefined,
      edgeChecks,
      plans: settings.plans,
      serverTiming: settings.serverTiming,
    };
    const pagesOf = (about: Described) =>
      firstPage(
        observation.pages,
        ...(access === undefined ? [] : [access.pages]),
        openApiPages(about, startPath),
        ...(mcp === undefined ? [] : [mcp.mcpPages(about.catalogue, respond)]),
        consolePages(about, { accountOf: access?.accountOf, hasSettings: edits !== undefined }),
      );
    if (schemas === undefined) app = createApp({ ...shared, catalogue: stored, engine, pages: pagesOf(described) });
    await engine.opened;
    if (schemas !== undefined) {
      const { openDatabaseRoles } = await import('./database-roles.ts');
      schemaApps = await openDatabaseRoles(schemas, {
        settings,
        verifier,
        shared,
        pagesOf,
        additions,
        notice,
        askedToStop,
      });
      if (schemaApps === undefined) return;
      app = schemaApps;
    }
    await unlessUnavailable(storage?.(), notice);
    await unlessUnavailable(webhooks?.begin(), notice);
    webhooks?.start(process.env);
    endWatching = watchMemory(
      () => listening,
      () => engine?.releaseMemory?.(),
    );
    endOrphans = watchOrphans(app!, log);
    observation.health.phase = 'serving';
    listening ??= startListening(settings, respond, notice, certificate);
    onListening?.(listening);
    const names = schemaApps?.names ?? [...catalogue.collections.keys()];
    const rows = databaseRoles
      ? `Tables    ${names.length}, with the roles of the database`
      : await describeRowCounts(engine, catalogue);
    const warnings = (await access?.warnings()) ?? [];
    const { location, steps = [] } = engine;
    const isNew = [...catalogue.collections.values()].every((each) => steps.includes(String(createStep(each))));
    await onStarted({
      url: listening.url,
      location,
      made: isNew ? [] : steps,
      rows,
      example: readByVisitors(catalogue) ?? names[0] ?? '',
      isOpen: roles === undefined && !databaseRoles,
      warnings,
    });
    await askedToStop;
    drainSeconds = DRAIN_SECONDS;
  } finally {
    observation.health.phase = 'draining';
    endWatching();
    endOrphans();
    feed?.stop();
    schemaApps?.stop();
    await listening?.stop(drainSeconds, context.isAbandoned);
    await webhooks?.stop();
    await engine?.close();
    await exporter?.stop();
    observation.settle();
  }
}

/** The service also starts while the database is down. Then requests repeat this work before their own. */
async function unlessUnavailable(work: Promise<unknown> | undefined, notice: (message: string) => void): Promise<void> {
  await work?.catch((error) => {
    if (!(error instanceof ApiError) || error.status < 500) throw error;
    notice(error.details ?? error.message);
  });
}

/** Traces are off without an address, and then nothing of them is loaded. */
async function openExporter(endpoint: string, log: Log): Promise<SpanExporter | undefined> {
  if (endpoint === '') return undefined;
  return new (await import('../observe/span-exporter.ts')).SpanExporter(endpoint, log);
}

/** Opens the storage of files, if the catalogue has some. */
function openFiles(
  engine: Engine,
  catalogue: Catalogue,
  place: string,
  warn: (message: string) => void,
): (() => Promise<Storage>) | undefined {
  if (!catalogue.builtIn.has(FILES_NAME)) return undefined;
  return lazyAsync(async () => {
    await engine.opened;
    const { FileRecords } = await import('../files/records.ts');
    const { openStorage } = await import('../files/storage/identity.ts');
    return openStorage(new FileRecords(engine, catalogue), place, { warn });
  });
}

function tokensWithoutRoles({ jwks }: ServeSettings): string {
  const flag = jwks === '' ? '--jwt-secret' : '--jwks';
  return `${flag} is set, but the declaration has no roles: anyone could read and change everything. Declare roles, or serve it to everyone with --public`;
}
