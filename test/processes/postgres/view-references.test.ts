/** References of views, inferred from the foreign keys of their tables, and references declared by hand. */
import { describe, expect, test } from 'bun:test';
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import { printCollection } from '../../../src/declare/writer/write.ts';
import { adoptedSchema } from '../../support/engines/adopted.ts';
import { declared, mistakesIn } from '../../support/processes/declarations.ts';
import { expectRefusal } from '../../support/stories.ts';

const SQL = `
  create table clients (id integer primary key, code text unique, name text);
  create table projects (id integer primary key, name text, client_id integer references clients, code text references clients (code));
  create table tasks (id integer primary key, project_id integer references projects, helper_id integer references projects);
  insert into clients values (1, 'a', 'Apple'), (2, 'b', 'Banana');
  insert into projects values (1, 'One', 1, 'b'), (2, 'Two', 2, null);
  insert into tasks values (1, 1, null), (2, 1, 2), (3, 2, null);
  create view shown_projects as select p.id as number, upper(p.name) as name, p.client_id as customer from projects p;
  create view nested as select number as n, customer from (select * from shown_projects) as s where number > 0;
  create view "with a cte" as select 1 as one;
  create view joined as with c as (select id, name from clients) select t.id, p.id as project, c.name as "client name"
    from tasks t join projects p on p.id = t.project_id join c on c.id = p.client_id;
  create materialized view stored_clients as select * from clients;
  create view endless as select id from clients;
  create or replace view endless as select id from endless;
  create view unrelated as select client_id + 0 as client_id, (select max(id) from projects) as id from projects;`;

describe('references of views', () => {
  const { fetch, list, draft } = adoptedSchema(SQL);

  test('follow the columns that views pass on, also through views and subqueries', async () => {
    expect(await list('/shown_projects?select=number,clients(name)&order=number')).toEqual([
      { number: 1, clients: { name: 'Apple' } },
      { number: 2, clients: { name: 'Banana' } },
    ]);
    expect(await list('/nested?select=n,clients(name)&n=eq.2')).toEqual([{ n: 2, clients: { name: 'Banana' } }]);
    expect(await list('/tasks?select=id,shown_projects!project_id(name)&id=eq.3')).toEqual([
      { id: 3, shown_projects: { name: 'TWO' } },
    ]);
    expect(await list('/clients?select=name,nested(n)&order=id')).toEqual([
      { name: 'Apple', nested: [{ n: 1 }] },
      { name: 'Banana', nested: [{ n: 2 }] },
    ]);
    expect(await list('/shown_projects?select=number,stored_clients!inner(name)&stored_clients.name=eq.Apple')).toEqual(
      [{ number: 1, stored_clients: { name: 'Apple' } }],
    );
  });

  test('a foreign key to a unique column that is not the key can be followed', async () => {
    expect(await list('/projects?select=id,clients!projects_code_fkey(name)&id=eq.1')).toEqual([
      { id: 1, clients: { name: 'Banana' } },
    ]);
  });

  test('columns that are computed have none', async () => {
    expect(draft('unrelated').references).toBeUndefined();
    // This view reads itself.
    expect(draft('endless').references).toBeUndefined();
    await expectRefusal(await fetch('/unrelated?select=id,clients(name)'), 400, 'PGRST200');
  });

  test('several ways to a view need a hint, and the name of a field still means the table', async () => {
    const refused = await expectRefusal(await fetch('/tasks?select=id,shown_projects(name)'), 300, 'PGRST201');
    expect(refused.hint).toContain('shown_projects!tasks_helper_id_fkey');
    expect(await list('/tasks?select=id,project_id(name)&id=eq.1')).toEqual([{ id: 1, project_id: { name: 'One' } }]);
  });

  test('are written to the declaration, which reads back the same', async () => {
    expect(draft('nested').references).toContainEqual({
      fields: ['customer'],
      collection: 'clients',
      to: ['id'],
      constraint: 'projects_client_id_fkey',
    });
    const names = ['clients', 'nested', 'projects', 'shown_projects', 'stored_clients', 'tasks', 'joined'];
    const text = `collections:\n${names.map((name) => printCollection(draft(name))).join('')}`;
    expect((await declared(text)).collections).toEqual(names.map(draft));
  });

  test('a reference declared by hand leads to the key by default; mistakes are named', async () => {
    const text = (reference: string) => `collections:
  makers: { fields: { id: int4, name: text } }
  parts:
    references: [${reference}]
    fields: { id: int4, maker: int4 }
`;
    const { collections } = declareCatalogue(await declared(text('{ fields: [maker], collection: makers }')));
    expect(collections.get('parts')!.links).toMatchObject([
      { name: 'parts_maker_fkey', to: 'makers', targets: ['id'] },
    ]);
    expect(await mistakesIn(text('{ fields: [maker], collection: maker }'))).toEqual([
      expect.stringContaining('unknown collection maker (perhaps you meant makers)'),
    ]);
    expect(await mistakesIn(text('{ fields: [made], collection: makers, to: [no] }'))).toEqual([
      expect.stringContaining('unknown field made'),
    ]);
    expect(await mistakesIn(text('{ fields: [id, maker], collection: makers }'))).toEqual([
      expect.stringContaining('fields (id, maker) and to (id) must have the same number of names'),
    ]);
  });
});
