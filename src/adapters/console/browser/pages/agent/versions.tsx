import { useSignal } from '@preact/signals';
import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import type { Schemas } from '../../../../../client/portico.ts';
import { type JsonValue, resolvePointer } from '../../../../../domain/json.ts';
import { useVersion } from '../../parts/agents.ts';
import { Disclosure, LoadedList, Loading, setting, Time } from '../../parts/basics.tsx';
import { reading } from '../../queries.ts';

const shown = (definition: Schemas['AgentDefinition'], pointer: string): string | null => {
  const value = resolvePointer(definition as unknown as JsonValue, pointer);
  if (value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
};

type SidesProps = { readonly pointer: string; readonly before: string | null; readonly after: string | null };

const Change = ({ pointer, before, after }: SidesProps) => (
  <div class="change">
    <h4 class="mono">{pointer}</h4>
    {before !== null && (
      <del>
        <span class="unseen">before: </span>
        {before}
      </del>
    )}
    {after !== null && (
      <ins>
        <span class="unseen">after: </span>
        {after}
      </ins>
    )}
  </div>
);

/** What the version has otherwise than the one before it. */
const Difference = ({ agentId, of }: { readonly agentId: string; readonly of: Schemas['AgentVersion'] }) => {
  const before = useVersion(agentId, of.version - 1);
  const after = useVersion(agentId, of.version);
  if (!after.data || !before.data) return <Loading of={before.error === null ? after : before} lines={2} />;
  const older = before.data.definition;
  const newer = after.data.definition;
  return of.changes.map((pointer) => (
    <Change key={pointer} pointer={pointer} before={shown(older, pointer)} after={shown(newer, pointer)} />
  ));
};

const Version = ({ agentId, of }: { readonly agentId: string; readonly of: Schemas['AgentVersion'] }) => {
  const line = (
    <>
      <span class="name">
        Version {of.version} {of.live && <span class="flag">live</span>}
      </span>
      <span class="soft">
        <Time at={of.created_at} />
        {of.created_by && ` by ${of.created_by.name}`}
      </span>
    </>
  );
  if (of.changes.length === 0)
    return (
      <li class="unit">
        <p class="version">{line}</p>
      </li>
    );
  return (
    <li class="unit">
      <Disclosure summary={line}>{() => <Difference agentId={agentId} of={of} />}</Disclosure>
    </li>
  );
};

const MOST_VERSIONS = 100;

/** The newest versions of an agent, each with what it changed. */
export const Versions = ({ agentId }: { readonly agentId: string }) => {
  const limit = useSignal(10);
  const params = { path: { agent_id: agentId }, query: { limit: limit.value } };
  const newest = reading(['versions', params], (get) => get('/api/v1/agents/{agent_id}/versions', { params }));
  const loaded = useQuery({ ...newest, placeholderData: keepPreviousData });
  const entry = (of: Schemas['AgentVersion']) => <Version key={of.version} agentId={agentId} of={of} />;
  const hasMore = loaded.data?.next && limit.value < MOST_VERSIONS;
  return (
    <section class="panel">
      <h2>Versions</h2>
      <LoadedList of={loaded} items={loaded.data?.versions} look="units" entry={entry} />
      {hasMore && (
        <p class="more">
          <button type="button" class="text" onClick={setting(limit, MOST_VERSIONS)}>
            Show older versions
          </button>
        </p>
      )}
    </section>
  );
};
