/** Decides whether requests may read the declaration, and change it. */
import { isLoopback } from '../base/net/address.ts';
import type { CatalogueSettings } from '../collection/declaration.ts';
import { findDeclaration, readText } from '../declare/declaration-file.ts';
import type { Audit, Resources } from '../response/own-resources.ts';
import { ConfigError, type ServeSettings } from '../settings/by-command.ts';
import type { DeclarationEdit, EditOutcome } from './declaration-edits.ts';

interface ServedDeclaration {
  readonly file: string;
  /** The text before it was parsed. If it changes in between, no request may edit it. */
  readonly served: string;
}

export function readServedDeclaration({ collections }: ServeSettings): ServedDeclaration | undefined {
  const file = findDeclaration(collections);
  return file === undefined ? undefined : { file, served: readText(file) };
}

export function catalogueSettings({ maxValueKb, timeZone }: ServeSettings): CatalogueSettings {
  return { maxValueBytes: maxValueKb * 1024, timeZone };
}

interface EditAccess {
  readonly hasRoles: boolean;
  readonly audit: Audit;
  /** Present in a worker. */
  readonly apply?: ((edit: DeclarationEdit) => Promise<EditOutcome>) | undefined;
}

/** Undefined if the declaration is not served. Without roles everyone has every right, so a setting must permit it. */
export async function openDeclarationEdits(
  declaration: ServedDeclaration | undefined,
  settings: ServeSettings,
  { hasRoles, audit, apply }: EditAccess,
): Promise<Resources | undefined> {
  const { editDeclaration, host } = settings;
  if (editDeclaration && declaration === undefined) {
    throw new ConfigError('--edit-declaration needs a declaration. Write one with catalogue init');
  }
  if (editDeclaration && !hasRoles && !isLoopback(host)) {
    throw new ConfigError(
      `--edit-declaration without roles lets anyone who reaches ${host} change the declaration. Declare roles`,
    );
  }
  if (declaration === undefined || !(hasRoles || editDeclaration)) return undefined;
  const { declarationEdits } = await import('./declaration-edits.ts');
  return declarationEdits({
    ...declaration,
    settings,
    catalogueSettings: catalogueSettings(settings),
    audit,
    ...(editDeclaration && apply !== undefined ? { apply } : {}),
  });
}
