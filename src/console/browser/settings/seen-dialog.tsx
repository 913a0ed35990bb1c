/** The view of a role: the first rows of each collection, read as that role. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { unlessThrown } from '../../../base/errors.ts';
import type { RoleDraft, RuleDraft } from '../../../collection/draft.ts';
import {
  type Collection,
  collectionNamed,
  collections,
  labelOf,
  type Row,
  titleOfCollection,
} from '../api/catalogue.ts';
import { ask, countIn } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { pathOf } from '../api/query/text.ts';
import { Dialog } from '../components/dialog.tsx';
import { Select, TextField } from '../components/inputs.tsx';
import { ErrorMessage, Skeleton } from '../components/small.tsx';
import { Table } from '../components/table.tsx';
import { formatValue } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';
import { useRoles } from './api.ts';

const SHOWN = 20;

/** The rules of a role, and of the roles that it includes. */
function rulesOf(roles: readonly RoleDraft[], name: string): readonly RuleDraft[] {
  const { rules = [], include = [] } = roles.find((each) => each.name === name) ?? {};
  return [...rules, ...include.flatMap((each) => rulesOf(roles, each))];
}

/** The claims that rules refer to. The service sets the role. */
function claimsIn(rules: readonly RuleDraft[]): readonly string[] {
  const names = rules.flatMap(({ where = '' }) => [...where.matchAll(/\{claims\.([^}]+)\}/g)].map(([, name]) => name!));
  return [...new Set(names)].filter((name) => name !== 'role');
}

/** The header with the claims that have a value. A name with dots is a path, and a value in brackets is a list. */
function printClaims(values: Readonly<Record<string, string>>): string {
  const claims: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(values)) {
    if (value.trim() === '') continue;
    const names = path.split('.');
    const last = names.pop()!;
    let place = claims;
    for (const name of names) {
      if (typeof place[name] !== 'object') place[name] = {};
      place = place[name] as typeof claims;
    }
    place[last] = unlessThrown(() => (/^\s*\[/.test(value) ? JSON.parse(value) : undefined)) ?? value.trim();
  }
  const codeOf = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(claims).replace(/[^\x20-\x7e]/g, codeOf);
}

export default function SeenDialog({ role }: { readonly role: string }) {
  const rules = rulesOf(useRoles().data ?? [], role);
  const isRead = ({ name }: Collection) => rules.some((rule) => rule.right === 'read' && rule.collection === name);
  const [name, setName] = useState(() => (collections.find(isRead) ?? collections[0]!).name);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const claims = printClaims(values);
  const collection = collectionNamed(name)!;
  const { data, error } = useQuery({
    queryKey: ['settings', 'seen', role, name, claims],
    queryFn: async ({ signal }) => {
      const headers = { 'x-as-role': role, 'x-as-claims': claims, prefer: 'count=exact' };
      const { json, headers: answer } = await ask(`${pathOf(collection)}?limit=${SHOWN}`, { headers, signal });
      return { rows: json as readonly Row[], total: countIn(answer) };
    },
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const isForbidden = error instanceof ApiError && (error.status === 401 || error.status === 403);
  const [first] = data?.rows ?? [];
  const fields = collection.fields.filter((field) => first !== undefined && field.name in first);
  return (
    <Dialog title={t.settings.seenBy(role)} size="large">
      <Select
        label={t.history.collection}
        value={name}
        options={collections.map((each) => [each.name, titleOfCollection(each)] as const)}
        onChange={setName}
      />
      {claimsIn(rules).map((claim) => (
        <TextField
          key={claim}
          label={t.settings.asClaim(claim)}
          value={values[claim] ?? ''}
          onChange={(value) => setValues({ ...values, [claim]: value })}
        />
      ))}
      {isForbidden && <p role="status">{t.settings.cannotRead(role, titleOfCollection(collection))}</p>}
      {error !== null && !isForbidden && <ErrorMessage error={error} />}
      {data === undefined && error === null && <Skeleton lines={3} />}
      {data !== undefined && <p role="status">{t.grid.rows(data.total)}</p>}
      {fields.length > 0 && (
        // A keyboard must be able to scroll it.
        <div className="table-scroll" {...{ tabIndex: 0 }}>
          <Table heads={fields.map(labelOf)}>
            <tbody>
              {data!.rows.map((row, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the role may not see the key
                <tr key={at}>
                  {fields.map((field) => (
                    <td key={field.name}>{formatValue({ collection, field }, row[field.name])}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </Table>
        </div>
      )}
    </Dialog>
  );
}
