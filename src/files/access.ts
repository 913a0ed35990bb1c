/**
 * Access to files. A caller may read a file if it may read a row and a field that refer to it, or if it
 * uploaded the file within the last day. A caller may upload if it may write a field of type file or image.
 */
import { ORPHAN_HOURS } from '../base/limits/files.ts';
import { ANONYMOUS } from '../collection/access/caller.ts';
import { tableDenied } from '../collection/access/permission-errors.ts';
import type { Catalogue } from '../collection/declaration.ts';
import { FILES_NAME, mayUpload } from '../collection/files.ts';
import { parseQuery } from '../dialect/query.ts';
import type { Permissions } from '../plan/access/permissions.ts';
import { isTimed } from '../plan/at-moment.ts';
import { planRead } from '../plan/read/read.ts';
import type { ReadPlan } from '../plan/types.ts';
import type { RequestContext } from '../response/request-context.ts';
import type { FileStore, StoredFile } from './store.ts';

/** Whether the caller uploaded the file. Names do not decide: a user, a key and tokens of two issuers may share one. */
function isUploader({ owner }: StoredFile, { caller }: RequestContext): boolean {
  return owner !== null && owner === caller?.identity;
}

export class FileAccess {
  /** Whether there are no roles: everybody may read every file. */
  private readonly isOpen: boolean;

  constructor(
    private readonly store: FileStore,
    catalogue: Catalogue,
  ) {
    this.isOpen = catalogue.roles === undefined;
  }

  /** The files among these that the caller may read. */
  async readable(ids: readonly string[], context: RequestContext, mayLag = false): Promise<readonly StoredFile[]> {
    const files = await this.store.find(ids, mayLag);
    const permissions = context.access?.permissions;
    if (permissions === undefined) return files;
    const since = Date.now() - ORPHAN_HOURS * 3_600_000;
    const isOwn = (file: StoredFile) => isUploader(file, context) && Date.parse(file.created_at) > since;
    const others = files.filter((file) => !isOwn(file)).map(({ id }) => id);
    const visible = await this.referenced(others, permissions, mayLag);
    return files.filter((file) => isOwn(file) || visible.has(file.id));
  }

  /** Whether shared caches may store a file that the caller reads: anybody may read it then. */
  isPublic({ caller, access }: RequestContext): boolean {
    if (this.isOpen && access?.permissions === undefined) return true;
    // A caller with an identity also reads own uploads.
    const { role, identity, claims } = caller ?? {};
    return role === ANONYMOUS.role && identity === undefined && Object.keys(claims ?? {}).length === 0;
  }

  /** Whether the answers of this class may change without a write: an upload grows old, and rules know the time. */
  isTimed(file: StoredFile, context: RequestContext): boolean {
    const permissions = context.access?.permissions;
    if (permissions === undefined) return false;
    const plan = planOf([file.id], permissions);
    return isUploader(file, context) || (plan !== undefined && isTimed(plan));
  }

  /** Throws if the caller may not upload files. */
  checkUpload({ access }: RequestContext): void {
    const visible = access?.permissions?.catalogue;
    if (visible !== undefined && !mayUpload(visible)) throw tableDenied(FILES_NAME, 'create');
  }

  /** The files to which a row that the caller may read refers. */
  private async referenced(
    ids: readonly string[],
    permissions: Permissions,
    mayLag: boolean,
  ): Promise<ReadonlySet<string>> {
    const plan = ids.length === 0 ? undefined : planOf(ids, permissions);
    if (plan === undefined) return new Set();
    const rows = await this.store.rows<{ id: string }>({ ...plan, isLookup: true }, mayLag);
    return new Set(rows.map(({ id }) => id));
  }
}

/** Undefined if the role sees no files. */
function planOf(ids: readonly string[], permissions: Permissions): ReadPlan | undefined {
  const files = permissions.catalogue.builtIn.get(FILES_NAME);
  const query = parseQuery(`select=id&id=in.(${ids.join()})`);
  return files && planRead(files, query, { offset: 0 }, undefined, permissions);
}
