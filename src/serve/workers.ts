/** The supervisor of worker processes on one port: restarts a dead worker, stops all, merges health and metrics. */

import { STOP_SECONDS } from '../base/limits/http.ts';
import { say } from '../base/sentence.ts';
import { declareCatalogue } from '../collection/declaration.ts';
import { findDeclaration, readText, replaceDeclaration, versionOf } from '../declare/declaration-file.ts';
import { checkShareable, maintenanceOf } from '../engine/open.ts';
import type { Pages } from '../http/pages.ts';
import { countersOf, type Family, familyOf, mergeMetrics, metric } from '../observe/exposition.ts';
import { healthPages, type ServiceStatus } from '../observe/health.ts';
import type { Log } from '../observe/log.ts';
import { ProcessMetrics } from '../observe/process-metrics.ts';
import { ConfigError, type ServeSettings } from '../settings/by-command.ts';
import type { ScheduledBackups } from './backups/scheduled-backups.ts';
import type { Certificate } from './certificate.ts';
import type { DeclarationEdit, EditOutcome } from './declaration-edits.ts';
import { sharedPort } from './ports.ts';
import { makeRatesFile, removeRatesFile } from './rates.ts';
import type { StartMessage } from './start-message.ts';
import { WorkerProcess } from './worker-process.ts';

/** A worker that keeps dying is restarted with back-off, which ends after a long life. */
const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;
const STABLE_MS = 10_000;

export class Workers implements ServiceStatus {
  readonly pages: Pages = healthPages(this, { metrics: true });
  private readonly running = new Set<WorkerProcess>();
  private readonly process = new ProcessMetrics();
  private phase: 'starting' | 'serving' | 'draining' = 'starting';
  private restarts = 0;
  /** The counters of ended workers: a sum that shrinks would look like a restart. */
  private endedCounters: readonly Family[] = [];
  /** Not 0 if a worker could not start or stop. */
  private exitCode = 0;
  /** Whether the first worker has served: the settings and the database are right. */
  private hasServed = false;
  private readonly ratesFile: string | undefined;
  private lastEdit: Promise<unknown> = Promise.resolve();
  /** Workers of an earlier generation have another declaration, and are not restarted. */
  private generation = 0;

  constructor(
    private settings: ServeSettings,
    private readonly log: Log,
    private certificate: Certificate | undefined,
    /** The supervisor backs up for all workers. */
    private readonly backups?: Pick<ScheduledBackups, 'metrics' | 'backUp'>,
  ) {
    this.ratesFile = makeRatesFile(log);
  }

  /** Resolves when all workers serve; to undefined if one fails, or if a stop is requested before. */
  async start(askedToStop: Promise<void>): Promise<StartMessage | undefined> {
    checkShareable(this.settings.database);
    const { editDeclaration, handover } = this.settings;
    // New workers replace the others on the same port, as in an upgrade.
    this.settings = {
      ...this.settings,
      port: await sharedPort(this.settings),
      handover: handover || editDeclaration,
    };
    const { settings } = this;
    // The first worker creates the tables, or reports what is wrong, before the others start.
    const first = await Promise.race([this.launch(1), askedToStop]);
    if (first === undefined) return undefined;
    this.hasServed = true;
    const others = Array.from({ length: settings.workers - 1 }, (_, index) => this.launch(index + 2));
    const all = await Promise.race([Promise.all(others), askedToStop]);
    if (all === undefined || this.exitCode !== 0) return undefined;
    this.phase = 'serving';
    return first;
  }

  /** Resolves to the exit code when all workers have ended. */
  async stop(): Promise<number> {
    this.phase = 'draining';
    await Promise.all([...this.running].map((each) => each.stop(STOP_SECONDS)));
    removeRatesFile(this.ratesFile);
    return this.exitCode;
  }

  /** All workers listen with it before the first retires the previous one, so that connections are always accepted. */
  async renew(certificate: Certificate): Promise<void> {
    const before = this.certificate;
    this.certificate = certificate;
    const all = [...this.running];
    const renewed = await Promise.all(all.map((each) => each.renew(certificate)));
    if (!renewed.includes(true)) {
      this.certificate = before;
      throw new ConfigError('no worker could listen with it');
    }
    await Promise.all(all.filter((_, index) => renewed[index]).map((each) => each.retire()));
    if (renewed.includes(false)) throw new ConfigError('a worker could not listen with it');
  }

  async notReady(): Promise<string | undefined> {
    if (this.phase !== 'serving') return this.phase;
    const serving = this.serving();
    if (serving.length === 0) return 'starting';
    const reasons = await Promise.all(serving.map((each) => each.status.notReady()));
    // A dead worker gets no requests either.
    return reasons.find((reason, index) => reason !== undefined && serving[index]!.isServing);
  }

  async families(): Promise<readonly Family[]> {
    const serving = this.serving();
    // Read before any wait, so that the list includes a worker that ends during it.
    const { endedCounters } = this;
    const isReady = this.phase === 'serving' && serving.length > 0;
    const own = [
      metric('catalogue_ready', 'gauge', 'Whether the service takes requests: 1 or 0.', Number(isReady)),
      metric('catalogue_workers', 'gauge', 'Processes that answer requests.', serving.length),
      metric('catalogue_worker_restarts_total', 'counter', 'Processes that were started again.', this.restarts),
      ...(this.backups?.metrics() ?? []).map(familyOf),
      ...this.process.families(),
    ];
    return mergeMetrics([...(await Promise.all(serving.map((each) => each.status.families()))), endedCounters, own]);
  }

  private serving(): WorkerProcess[] {
    return [...this.running].filter((each) => each.isServing);
  }

  /** One edit after the other. A later one finds another version of the file. */
  private readonly edit = (edit: DeclarationEdit): Promise<EditOutcome> => {
    const outcome = this.lastEdit.then(() => this.applyEdit(edit));
    this.lastEdit = outcome.catch(() => undefined);
    return outcome;
  };

  /**
   * Replaces the file, and then all workers. The first new one migrates the tables. If it does not start, the old text
   * returns, unless the tables have changed. A kill leaves a file whose safe changes the next start applies; the others
   * need `catalogue migrate --allow` then.
   */
  private async applyEdit({ text, previous, allowed }: DeclarationEdit): Promise<EditOutcome> {
    const { settings, log } = this;
    try {
      const file = findDeclaration(settings.collections)!;
      const before = readText(file);
      if (versionOf(before) !== previous) return 'changed';
      replaceDeclaration(file, text);
      if ((await this.launch(1, { isTrial: true, generation: this.generation + 1, allowed })) === undefined) {
        // After a permitted loss, the old text fits as well: it would add an empty field or table.
        const isDone = allowed.length > 0 && (await this.fitsTables(text, file));
        if (isDone || !(await this.fitsTables(before, file)))
          return say`The tables have changed, so the file has the new text`;
        replaceDeclaration(file, before);
        return say`Nothing was changed`;
      }
    } catch (error) {
      if (error instanceof ConfigError) return say`${error.wording}`;
      throw error;
    }
    log.write('info', 'new workers replace the others, for another declaration');
    this.generation++;
    const others = Array.from({ length: settings.workers - 1 }, (_, index) => this.launch(index + 2));
    await Promise.all(others);
    // Not awaited: one of them answers the request of this edit.
    for (const each of this.running) if (each.generation < this.generation) void each.stop(STOP_SECONDS);
    return 'done';
  }

  /** Whether a service with this text can start on the tables as they are. */
  private async fitsTables(text: string, file: string): Promise<boolean> {
    const { parseDeclaration } = await import('../declare/read.ts');
    const catalogue = declareCatalogue(parseDeclaration(text, file));
    const { problems } = await maintenanceOf(this.settings.database, catalogue, this.settings).plan({});
    return problems.length === 0;
  }

  /** Resolves when the worker serves, or to undefined if it ends before. A trial is not repeated if it fails. */
  private async launch(
    number: number,
    options: {
      readonly isTrial?: boolean;
      readonly generation?: number;
      readonly backoffMs?: number;
      readonly allowed?: readonly string[];
    } = {},
  ): Promise<StartMessage | undefined> {
    const { isTrial = false, generation = this.generation, backoffMs = MIN_BACKOFF_MS, allowed = [] } = options;
    const { settings } = this;
    const started = performance.now();
    const worker = new WorkerProcess(
      { worker: number, settings, certificate: this.certificate, ratesFile: this.ratesFile, allowed },
      this,
      { edit: this.edit, backUp: async () => ({ failure: await this.backups?.backUp() }) },
    );
    worker.generation = generation;
    this.running.add(worker);
    void worker.ended.then(async (end) => {
      const isFailedTrial = isTrial && !worker.wasServing;
      this.running.delete(worker);
      this.endedCounters = mergeMetrics([this.endedCounters, countersOf(worker.status.lastFamilies())]);
      // Once one serves, only a worker that ends by itself at its start is a failed start. A killed one is replaced.
      const isFailedStart = !worker.wasServing && (!this.hasServed || end.signal === undefined);
      const isFinal = this.phase === 'draining' || (this.phase === 'starting' && isFailedStart);
      if (isFinal) this.exitCode = Math.max(this.exitCode, end.exitCode);
      // One that ends by itself has printed why.
      if (isFinal && this.phase === 'starting' && end.signal !== undefined)
        this.log.write('error', 'a worker was killed before it served', { worker: number, ...end });
      if (isFinal || worker.isRetired || isFailedTrial) return;
      this.log.write('error', 'a worker ended and is restarted', { worker: number, ...end });
      const wasStable = performance.now() - started > STABLE_MS;
      await Bun.sleep(wasStable ? MIN_BACKOFF_MS : backoffMs);
      if (this.phase === 'draining' || generation < this.generation) return;
      this.restarts++;
      void this.launch(number, { backoffMs: wasStable ? MIN_BACKOFF_MS : Math.min(2 * backoffMs, MAX_BACKOFF_MS) });
    });
    return Promise.race([worker.started, worker.ended.then(() => undefined)]);
  }
}
