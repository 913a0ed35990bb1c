/** The settings of the mode of database roles, whose code only that mode loads. */
import { ConfigError, type ServeSettings } from '../settings/by-command.ts';

/** Throws a `ConfigError` for settings that do not fit the mode. */
export function checkDatabaseRoles(settings: ServeSettings): void {
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
  if (settings.editDeclaration) throw new ConfigError('--edit-declaration is off with --database-roles');
  if (settings.anonymousRole === '' && settings.jwtSecret === '' && settings.jwks === '') {
    throw new ConfigError('--database-roles needs --jwt-secret or --jwks for tokens, or --anonymous-role');
  }
}
