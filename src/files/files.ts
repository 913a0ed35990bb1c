/**
 * The files of a catalogue: uploads at `/files`, and bytes at `/files/<id>/<name>`. The rows of `/files` are an
 * ordinary read. A catalogue without a field of type file or image has no such paths.
 */
import { ApiError } from '../base/errors.ts';
import { MAX_CACHED_DOWNLOADS } from '../base/limits/files.ts';
import type { Catalogue, Collection, Field } from '../collection/declaration.ts';
import { FILES_NAME, filesForRole, keepsMetadata, served } from '../collection/files.ts';
import { storeJson, type Type } from '../collection/types/type.ts';
import type { Engine, MaybePromise, Write } from '../engine/engine.ts';
import { positionHeader } from '../http/call.ts';
import { CORS_HEADERS } from '../http/edge/origins.ts';
import { answerOptions } from '../http/methods.ts';
import { FILES_PATH, shortestPath, type Target } from '../http/target.ts';
import type { WritePlan } from '../plan/write-plan.ts';
import { type Middleware, type RequestContext, trackWork } from '../response/request-context.ts';
import { retryOf } from '../response/retry.ts';
import { FileAccess } from './access.ts';
import { checkFile, checkFileValues } from './check-values.ts';
import { ContentCache, UnchangedCache } from './content-cache.ts';
import { download } from './download.ts';
import { notStored } from './errors.ts';
import { FileMetrics } from './file-metrics.ts';
import { Orphans } from './orphans.ts';
import { type Limits, UploadBudget } from './receive.ts';
import { isValid, readLifetime, readSignature, type Signature, sign } from './signed-urls.ts';
import type { Storage } from './storage/storage.ts';
import { FileStore, type NewFile, type StoredFile, UUID } from './store.ts';
import { type Received, receiveFiles } from './upload.ts';
import { type Shown, Variants } from './variants.ts';

/** The last part of the path of a request for a signed URL. */
const SIGN = 'sign';
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** A file that a caller may read, and what a request gets of it. */
interface Found {
  readonly file: StoredFile;
  readonly shown: Shown;
  readonly cacheControl: string;
}

/** The files that a request stored, and their rows. */
interface Stored {
  readonly files: readonly NewFile[];
  readonly rows: readonly object[];
  readonly headers: Readonly<Record<string, string>>;
}

export class Files {
  private readonly orphans: Orphans;
  readonly metrics: FileMetrics;
  private readonly store: FileStore;
  private readonly access: FileAccess;
  private readonly variants: Variants;
  private readonly catalogue: Catalogue;
  /** The collection as requests see it. */
  private readonly served: Collection;
  private readonly servedForRole: Collection;
  private readonly contents: ContentCache;
  private readonly budget = new UploadBudget();
  /** By the scope of the caller and the URL. */
  private readonly found: UnchangedCache<Found>;

  constructor(
    engine: Engine,
    catalogue: Catalogue,
    private readonly limits: Limits & { readonly maxResizedBytes: number },
    storage?: () => MaybePromise<Storage>,
  ) {
    this.catalogue = served(catalogue);
    this.served = this.catalogue.builtIn.get(FILES_NAME)!;
    this.servedForRole = filesForRole(this.served);
    this.store = new FileStore(engine, catalogue, storage);
    this.access = new FileAccess(this.store, this.catalogue);
    this.orphans = new Orphans(this.store);
    this.variants = new Variants(this.store, limits.maxResizedBytes);
    this.metrics = new FileMetrics(this.store, this.variants);
    this.contents = new ContentCache(this.store);
    this.found = new UnchangedCache(engine.changes, MAX_CACHED_DOWNLOADS);
  }

  /** Answers downloads with a signed URL, which need no credentials. */
  readonly signedMiddleware: Middleware = (next) => (context) => {
    const { call } = context;
    const signature = call.target.kind === 'file' && call.isRead ? readSignature(call.query) : undefined;
    if (call.target.kind !== 'file' || signature === undefined) return next(context);
    context.route = call.target.route;
    return trackWork(context, this.serveSigned(call.target.id, signature, context));
  };

  /** Throws if a value of a file field is not a file that the caller may use there. */
  check(plan: WritePlan, context: RequestContext): Promise<void> {
    return checkFileValues(this.store, plan, (ids) => this.access.readable(ids, context));
  }

  /** Throws if a value that an undo restores is not a file any more. */
  checkRestored(plan: WritePlan): Promise<void> {
    return checkFileValues(this.store, plan, (ids) => this.store.find(ids));
  }

  /** Stores the files of a request, and their ids in a field by a write. */
  async put(
    field: Field,
    context: RequestContext,
    plan: (ids: readonly string[]) => Write,
  ): Promise<Stored & { readonly isList: boolean }> {
    const received = await this.receive(context, field.file?.keepMetadata === true);
    const isList = field.type.element !== undefined;
    const stored = await this.add(received, context, (files) => {
      if (files.length > 1 && !isList) {
        const problem = `${field.name} holds one file, and the form has ${files.length}`;
        throw notStored('PGRST102', problem, `Upload several files with POST ${FILES_PATH}.`);
      }
      for (const file of files) checkFile(field, file);
      return [plan(files.map(({ id }) => id))];
    });
    return { ...stored, isList: isList && received.isForm };
  }

  /** Resolves to whether files remain to be looked at in this round. */
  async removeOrphans(now?: number): Promise<boolean> {
    return this.orphans.step(now).catch((error) => {
      this.metrics.cleanupFailures++;
      throw error;
    });
  }

  private async receive(context: RequestContext, keepMetadata: boolean): Promise<Received> {
    const { budget } = this;
    const received = await receiveFiles(this.store, this.limits, context, { budget, keepMetadata });
    this.metrics.uploadedBytes += received.files.reduce((sum, { file }) => sum + file.size, 0);
    return received;
  }

  /** POST /files. The rows of /files are an ordinary read. */
  async upload(context: RequestContext): Promise<Response> {
    context.route = FILES_PATH;
    const options = answerOptions(context.call, ['OPTIONS', 'GET', 'HEAD', 'POST']);
    if (options !== undefined) return new Response(null, { headers: options.headers });
    this.access.checkUpload(context);
    const visible = context.access?.permissions?.catalogue ?? this.catalogue;
    const received = await this.receive(context, keepsMetadata(visible));
    const { files, rows, headers } = await trackWork(context, this.add(received, context));
    context.rows = rows.length;
    const { isForm } = received;
    const location = isForm ? {} : { location: this.urlOf(files[0]!, context) };
    return new Response(JSON.stringify(isForm ? rows : rows[0]), {
      status: 201,
      headers: { ...CORS_HEADERS, ...JSON_TYPE, ...location, ...headers },
    });
  }

  /** Stores received files and further writes in one transaction, once for each Idempotency-Key. */
  private async add(
    { files, upload }: Received,
    context: RequestContext,
    follow: (files: readonly NewFile[]) => readonly Write[] = () => [],
  ): Promise<Stored> {
    const { call, origin } = context;
    const created = files.map(({ file }) => file);
    try {
      const bodies = JSON.stringify(created.map(({ name, media_type, sha256 }) => [name, media_type, sha256]));
      const retried = { path: call.location.path, isItem: true, isUpload: true };
      const options = { origin, ...retryOf(call, retried, Buffer.from(bodies), context) };
      const stored = await this.store.add(files, follow(created), options);
      const replayed = stored.replayed ? { 'idempotency-replayed': 'true' } : {};
      const headers = { ...positionHeader(stored.position), ...replayed };
      return { files: stored.files, rows: this.rows(stored.files, context), headers };
    } catch (error) {
      await Promise.allSettled(files.map((each) => each.upload.discard()));
      throw error;
    } finally {
      upload.end();
    }
  }

  /** The rows of new files, as a read returns them. After the commit, a read that fails would lead to a second one. */
  private rows(files: readonly NewFile[], { access }: RequestContext): readonly object[] {
    const { fields } = access?.permissions === undefined ? this.served : this.servedForRole;
    const shown = (type: Type, value: unknown) =>
      value === null ? null : JSON.parse(type.json(storeJson(type, value)));
    return files.map((file) =>
      Object.fromEntries(fields.map(({ name, type }) => [name, shown(type, file[name as keyof typeof file])])),
    );
  }

  /** Downloads a file, or signs its URL. */
  bytes({ id, name, route }: Extract<Target, { kind: 'file' }>, context: RequestContext): MaybePromise<Response> {
    const { call } = context;
    context.route = route;
    const options = answerOptions(call, ['OPTIONS', 'GET', 'HEAD', ...(name === SIGN ? ['POST'] : [])]);
    if (options !== undefined) return new Response(null, { headers: options.headers });
    return trackWork(context, call.method === 'POST' ? this.sign(id, context) : this.serve(id, context));
  }

  private serve(id: string, context: RequestContext): MaybePromise<Response> {
    const { access, call } = context;
    const key = `${access?.scope ?? ''} ${call.location.path}`;
    const cached = this.found.get(key);
    const send = ({ shown, cacheControl }: Found) => download(this.contents, shown, call, cacheControl);
    if (cached !== undefined) return send(cached);
    const changeCount = this.found.current();
    return this.find(id, context).then((found) => {
      if (!this.access.isTimed(found.file, context)) this.found.set(key, found, changeCount);
      return send(found);
    });
  }

  private async find(id: string, context: RequestContext): Promise<Found> {
    const { requester } = context;
    const file = await this.findReadable(id, context);
    const scope = this.access.isPublic(context) ? 'public' : 'private';
    const shown = await this.variants.show(file, context.call.query, requester);
    return { file, shown, cacheControl: `${scope}, max-age=31536000, immutable` };
  }

  /** Serves the bytes to whoever has the URL. An invalid signature gets the same 404 as a file that does not exist. */
  private async serveSigned(id: string, signature: Signature, context: RequestContext): Promise<Response> {
    const { requester } = context;
    const find = (mayLag: boolean) => this.store.find([id], mayLag);
    const [file] = UUID.test(id) ? await this.store.eventually(find) : [];
    if (file === undefined || !isValid(file, signature)) throw unknownFile(id);
    const seconds = Math.max(0, Math.floor(signature.expires - Date.now() / 1000));
    const shown = await this.variants.show(file, context.call.query, requester);
    return download(this.contents, shown, context.call, `private, max-age=${seconds}`);
  }

  private async sign(id: string, context: RequestContext): Promise<Response> {
    const lifetime = readLifetime(context.call.query);
    const file = await this.findReadable(id, context);
    const expires = Math.floor(Date.now() / 1000) + lifetime;
    const url = `${this.urlOf(file, context)}?expires=${expires}&signature=${sign(file, expires)}`;
    const body = { url, expires_at: new Date(expires * 1000).toISOString() };
    return new Response(JSON.stringify(body), {
      headers: { ...CORS_HEADERS, ...JSON_TYPE, 'cache-control': 'no-store' },
    });
  }

  private async findReadable(id: string, context: RequestContext): Promise<StoredFile> {
    const find = (mayLag: boolean) => this.access.readable([id], context, mayLag);
    const [file] = UUID.test(id) ? await this.store.eventually(find) : [];
    if (file === undefined) throw unknownFile(id);
    return file;
  }

  /** The path of the bytes, as the client sees it. */
  private urlOf({ id, name }: Pick<StoredFile, 'id' | 'name'>, { call }: RequestContext): string {
    return `${call.location.prefix}${shortestPath(FILES_PATH, this.catalogue)}/${id}/${encodeURIComponent(name)}`;
  }
}

function unknownFile(id: string): ApiError {
  return new ApiError('CAT404', `no file has the id ${id}`);
}
