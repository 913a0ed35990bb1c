/** The view of a role: the first rows of each collection, read as that role. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { RoleDraft } from '../../../collection/draft.ts';
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
import { Select } from '../components/inputs.tsx';
import { ErrorMessage, Skeleton } from '../components/small.tsx';
import { Table } from '../components/table.tsx';
import { formatValue } from '../fields/registry.ts';
import { t } from '../i18n/text.ts';
import { useRoles } from './api.ts';

const SHOWN = 20;

/** Whether a role has a rule, of its own or of a role that it includes, to read a collection. */
function reads(roles: readonly RoleDraft[], name: string, collection: Collection): boolean {
  const role = roles.find((each) => each.name === name);
  if (role === undefined) return false;
  const isOwn = role.rules.some((rule) => rule.right === 'read' && rule.collection === collection.name);
  return role.isAll === true || isOwn || (role.include ?? []).some((each) => reads(roles, each, collection));
}

export default function SeenDialog({ role }: { readonly role: string }) {
  const { data: roles = [] } = useRoles();
  const [name, setName] = useState(
    () => (collections.find((each) => reads(roles, role, each)) ?? collections[0]!).name,
  );
  const collection = collectionNamed(name)!;
  const { data, error } = useQuery({
    queryKey: ['settings', 'seen', role, name],
    queryFn: async ({ signal }) => {
      const headers = { 'x-as-role': role, prefer: 'count=exact' };
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
      {isForbidden && <p role="status">{t.settings.cannotRead(role, titleOfCollection(collection))}</p>}
      {error !== null && !isForbidden && <ErrorMessage error={error} />}
      {data === undefined && error === null && <Skeleton lines={3} />}
      {data !== undefined && <p role="status">{t.grid.rows(data.total)}</p>}
      {fields.length > 0 && (
        <div className="table-scroll">
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
