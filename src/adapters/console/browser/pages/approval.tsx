import { useQuery } from '@tanstack/preact-query';
import { PorticoError, type Schemas } from '../../../../client/portico.ts';
import { isObject } from '../../../../domain/json.ts';
import { plainly } from '../../../../domain/obeyed.ts';
import { to, useAddress } from '../address.ts';
import { api, messageOf } from '../api.ts';
import { valueText } from '../form/form.ts';
import { useKeys } from '../keys.ts';
import { useMayWrite } from '../parts/agents.ts';
import { approvalFilter, approvalList } from '../parts/approval-list.ts';
import { Heading, Status, Time } from '../parts/basics.tsx';
import { FormDialog, showDialog } from '../parts/dialogs.tsx';
import { useLive } from '../parts/live.ts';
import { notify } from '../parts/notice.tsx';
import { isTooLate, signInAgain } from '../parts/person.ts';
import { useSeen } from '../presses.ts';
import { reading, show } from '../queries.ts';

type Detail = Schemas['Approval'];

/** What a call is given, every value of it with its name. */
const Value = ({ of: value }: { readonly of: unknown }) => {
  if (Array.isArray(value) && value.length > 0)
    return (
      <ol class="given">
        {value.map((item) => (
          <li>
            <Value of={item} />
          </li>
        ))}
      </ol>
    );
  if (!isObject(value) || Object.keys(value).length === 0)
    return value === null || value === '' ? (
      <span class="soft">{value === null ? 'nothing' : 'an empty text'}</span>
    ) : (
      <span class="said">{plainly(valueText(value))}</span>
    );
  return (
    <dl class="given">
      {Object.entries(value).map(([name, member]) => (
        <div key={name}>
          <dt>{plainly(name)}</dt>
          <dd>
            <Value of={member} />
          </dd>
        </div>
      ))}
    </dl>
  );
};

const Fact = ({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const Facts = ({ of }: { readonly of: Detail }) => (
  <dl class="facts">
    <Fact name="Status">
      <Status of={of.status} />
    </Fact>
    <Fact name="Agent">
      <a href={to(`/agents/${of.agent_id}`)}>{of.agent_name}</a>
    </Fact>
    <Fact name="For">
      {of.requested_by.name} <span class="soft">{of.requested_by.email}</span>
    </Fact>
    <Fact name="Asked">
      <Time at={of.requested_at} />
    </Fact>
    <Fact name={of.status === 'pending' ? 'Waits until' : 'Decided'}>
      <Time at={of.status === 'pending' ? of.expires_at : of.decided_at} />
      {of.decided_by && ` by ${of.decided_by.name}`}
    </Fact>
    {of.note && <Fact name="Note">{plainly(of.note)}</Fact>}
  </dl>
);

/** Where the call was asked for. */
const placeOf = ({ run_id: run, agent_id: agent, conversation_id: conversation }: Detail) =>
  run ? to(`/runs/${run}`) : to(`/agents/${agent}`, { conversation: conversation ?? undefined });

const verdictOf = ({ rows_affected: rows, rejected }: Readonly<Record<string, unknown>>) =>
  typeof rejected === 'string'
    ? { tone: 'bad', text: `The connected system would refuse it: ${plainly(rejected)}` }
    : {
        tone: 'good',
        text: `The connected system would change ${valueText(rows)} ${valueText(rows) === '1' ? 'row' : 'rows'}.`,
      };

const Rehearsed = ({ of }: { readonly of: Readonly<Record<string, unknown>> }) => {
  const { tone, text } = verdictOf(of);
  return (
    <section class="panel" aria-label="Rehearsal">
      <h2>What it would do</h2>
      <p class={`verdict ${tone}`}>{text}</p>
    </section>
  );
};

interface AskProps {
  readonly of: Detail;
  readonly decision: 'approve' | 'deny';
  /** Also where the approval has changed meanwhile. */
  readonly after: (decided: Detail | null) => void;
}

const isOutdated = (error: unknown) =>
  error instanceof PorticoError && (error.code === 'approval_decided' || error.code === 'arguments_changed');

/** An approval cannot be taken back: the call is made at once. So it asks, and the key or the click that asked is no answer. */
const Ask = ({ of, decision, after }: AskProps) => {
  const { id, tool, arguments_digest: digest } = of;
  const { isSeen, decides } = useSeen(`${decision} ${id}`);
  const denies = decision === 'deny';
  const submit = async (entered: FormData): Promise<Detail | null> => {
    const note = String(entered.get('note')).trim() || null;
    const body = { decision, arguments_digest: digest, note };
    try {
      return await api.post('/api/v1/approvals/{id}', { params: { path: { id } }, body });
    } catch (error) {
      if (isTooLate(error)) signInAgain(messageOf(error));
      if (!isOutdated(error)) throw error;
      notify(messageOf(error), true);
      return null;
    }
  };
  return (
    <FormDialog
      title={denies ? `Reject the call of ${tool}?` : `Approve the call of ${tool}?`}
      yes={denies ? 'Reject' : 'Approve'}
      busy="Sending…"
      isReady={isSeen}
      decides={decides}
      submit={submit}
      after={after}
    >
      <p>
        {denies
          ? 'The agent reads why, and goes on without it.'
          : `It is made ${of.conversation_id ? 'at once' : 'as soon as the program asks again'}, and cannot be taken back here.`}
      </p>
      <label>
        {denies ? 'Why?' : 'Note, if there is something to say'}
        <input
          type="text"
          name="note"
          required={denies}
          pattern={denies ? '.*\\S.*' : undefined}
          maxlength={1000}
          autocomplete="off"
        />
      </label>
    </FormDialog>
  );
};

const approvalOf = (id: string) =>
  reading(['approval', id], (get) => get('/api/v1/approvals/{id}', { params: { path: { id } } }));

/** Those before and after it in the list that it was opened from. */
const useNeighbours = (id: string) => {
  const { query, go } = useAddress();
  const filter = approvalFilter(query);
  const { data, refetch } = useQuery(approvalList(filter));
  const ids = data?.approvals.map((approval) => approval.id) ?? [];
  const at = ids.indexOf(id);
  const [before, after] = at === -1 ? [null, ids[0] ?? null] : [ids[at - 1] ?? null, ids[at + 1] ?? null];
  const open = (other: string | null) => other !== null && go(to(`/approvals/${other}`, { ...filter }));
  const leave = () => go(to('/approvals', { ...filter }));
  return { before, after, open, leave, refetch };
};

/** A call of a tool with all that it is given, for a person to decide on. */
export const Approval = ({ id }: { readonly id: string }) => {
  const loaded = useQuery(approvalOf(id));
  const { data: approval, refetch } = loaded;
  const { before, after, open, leave, refetch: refetchList } = useNeighbours(id);
  useLive(['approval.decided'], () => void refetch());
  const isOpen = useMayWrite() && approval?.status === 'pending';
  const { isSeen, decides } = useSeen([id, approval?.arguments_digest, isOpen].join());
  const decided = (now: Detail | null) => {
    if (now === null) return void refetch();
    void show(approvalOf(id), now);
    notify(
      now.status === 'approved'
        ? `${now.tool} is approved: it is called ${now.conversation_id ? 'now' : 'when the program asks again'}.`
        : `${now.tool} is rejected.`,
    );
    void refetchList();
    if (after === null && before === null) leave();
    else open(after ?? before);
  };
  const ask = (decision: AskProps['decision']) => (event: Event) => {
    if (approval && decides(event)) showDialog(<Ask of={approval} decision={decision} after={decided} />);
  };
  const approve = ask('approve');
  const deny = ask('deny');
  useKeys([
    { key: 'j', does: 'Next call', act: () => open(after) },
    { key: 'k', does: 'Previous call', act: () => open(before) },
    ...(isOpen
      ? [
          { key: 'a', does: 'Approve', act: approve },
          { key: 'r', does: 'Reject', act: deny },
        ]
      : []),
  ]);
  const back = [to('/approvals', { ...approvalFilter(useAddress().query) }), 'Approvals'] as const;
  if (approval === undefined) return <Heading title="Approval" back={back} of={loaded} thing="approval" />;
  return (
    <>
      <Heading key={id} title={approval.tool} back={back} of={loaded}>
        {approval.conversation_id && (
          <a class="button plain" href={placeOf(approval)}>
            {approval.run_id ? 'Run' : 'Conversation'}
          </a>
        )}
        {isOpen && (
          <>
            <button type="button" class="bad" aria-disabled={!isSeen || undefined} onClick={deny}>
              Reject
            </button>
            <button type="button" aria-disabled={!isSeen || undefined} onClick={approve}>
              Approve
            </button>
          </>
        )}
      </Heading>
      <Facts of={approval} />
      {approval.rehearsal && <Rehearsed of={approval.rehearsal} />}
      <section class="panel" aria-label="Arguments">
        <h2>What it is given</h2>
        <Value of={approval.arguments} />
      </section>
    </>
  );
};
