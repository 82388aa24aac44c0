import { useQuery } from '@tanstack/preact-query';
import type { Schemas } from '../../../../client/portico.ts';
import { reading } from '../queries.ts';
import { Status } from './basics.tsx';
import { moneyText } from './money.ts';

type Budget = Schemas['Budget'];

/** From here on there is an event `budget.warning`. */
const WARNING = 0.8;

/** Steps under way change what is left while the page is open. */
const EVERY_MS = 10_000;

const shareOf = (amount: string, { limit }: Budget): number =>
  Number(limit) === 0 ? 1 : Math.min(1, Number(amount) / Number(limit));

const standing = (budget: Budget): 'exhausted' | 'warning' | null => {
  const share = shareOf(budget.spent, budget);
  if (share >= 1) return 'exhausted';
  return share >= WARNING ? 'warning' : null;
};

const dayText = new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', dateStyle: 'medium' });

const endOf = ({ period_end: end }: Budget) => `until ${dayText.format(new Date(end))}, 00:00 UTC`;

const Entry = ({ of: budget, currency }: { readonly of: Budget; readonly currency: string | null }) => {
  const { name, agent, period, limit, spent, reserved, left, action } = budget;
  const money = (amount: string) => moneyText(amount, currency);
  const state = standing(budget);
  const spentShare = shareOf(spent, budget);
  const reservedShare = Math.min(1 - spentShare, shareOf(reserved, budget));
  const figures = [
    `${money(spent)} of ${money(limit)} spent`,
    ...(Number(reserved) > 0 ? [`${money(reserved)} reserved for steps under way`] : []),
    `${money(left)} left`,
  ];
  return (
    <li>
      <p class="name">
        <strong>{name}</strong>
        <span class="soft">
          {agent ? agent.name : 'all agents'}, by {period}, {action === 'stop' ? 'stops' : 'warns only'}
        </span>
        {state && <Status of={state} />}
      </p>
      <div class={`share ${state ?? ''}`} role="img" aria-label={`${name}: ${figures.join(', ')}`}>
        <span class="spent" style={{ width: `${spentShare * 100}%` }} />
        <span class="reserved" style={{ width: `${reservedShare * 100}%` }} />
      </div>
      <p class="soft">
        {figures.join(' · ')} {endOf(budget)}
      </p>
    </li>
  );
};

/** Each budget with what is left of it; nothing where there are none. */
export const Budgets = () => {
  const { data } = useQuery({
    ...reading(['budgets'], (get) => get('/api/v1/budgets', {})),
    refetchInterval: EVERY_MS,
  });
  if (!data || data.budgets.length === 0) return null;
  return (
    <section class="budgets" aria-labelledby="budgets">
      <h2 id="budgets">Budgets</h2>
      <ul>
        {data.budgets.map((budget) => (
          <Entry key={budget.name} of={budget} currency={data.currency} />
        ))}
      </ul>
    </section>
  );
};
