import { html } from 'htm/preact';
import { api } from '../api.ts';
import { useKeys } from '../keys.ts';
import { useLoaded } from '../loaded.ts';
import { Empty, Heading, Loading } from '../parts/basics.ts';
import { rowKeys } from '../parts/lists.ts';
import { to } from '../router.ts';

const systems: Readonly<Record<string, string>> = { postgresql: 'PostgreSQL', sqlserver: 'SQL Server' };

interface Source {
  readonly id: string;
  readonly name: string;
  readonly type: string;
}

const List = ({ title, under, sources }: { readonly title: string; readonly under: string; readonly sources: readonly Source[] }) =>
  html`<section class="waiting"><h2>${title}</h2><table class="list" aria-label=${title}>
    <thead><tr><th scope="col">Name</th><th scope="col">System</th></tr></thead>
    <tbody>${sources.map(({ id, name, type }) => html`<tr data-row key=${id}><td class="name"><a href=${to(`/data/${under}/${encodeURIComponent(id)}`)}>${name}</a></td><td>${systems[type] ?? type}</td></tr>`)}</tbody>
  </table></section>`;

/** A list has this many at most, which no workspace comes near. */
const MOST = 1000;

export const Data = () => {
  const load = (signal: AbortSignal) =>
    Promise.all([api.get('/api/v1/databases', { signal }), api.get('/api/v1/connections', { params: { query: { limit: MOST } }, signal })]);
  const loaded = useLoaded('data', load);
  const { data } = loaded;
  useKeys(rowKeys);
  const [databases, connections] = [data?.[0].databases ?? [], data?.[1] ?? []];
  return html`<${Heading} title="Data" />
    <${Loading} of=${loaded} />
    ${
      data !== null &&
      databases.length + connections.length === 0 &&
      html`<${Empty} title="No data yet"><p>Databases and connections are described in a workspace file, and shown to those who may see them.</p><//>`
    }
    ${databases.length > 0 && html`<${List} title="Databases, to query" under="databases" sources=${databases} />`}
    ${connections.length > 0 && html`<${List} title="Connections, to read records" under="connections" sources=${connections} />`}`;
};
