import { until } from '../support/until.ts';
import type { ModelCall, SlowModel } from './model.ts';

/** A request that the model does not answer before the test lets it. */
export interface Held {
  readonly call: ModelCall;
  answer(words: string): void;
}

/** From now on the model keeps every request waiting. */
export const holdAll = (model: SlowModel): Held[] => {
  const held: Held[] = [];
  model.behave((call) => {
    const gate = Promise.withResolvers<string>();
    held.push({ call, answer: gate.resolve });
    return gate.promise;
  });
  return held;
};

/** The request for a unit that is still open: of a certain worker, or of any. */
export const heldFor = async (held: readonly Held[], unit: string, by?: string): Promise<Held> => {
  const find = () =>
    held.find(({ call }) => call.unit === unit && (by === undefined || call.key === by) && !call.gone.aborted);
  await until(`${by ?? 'a worker'} asks for ${unit}`, () => find() !== undefined);
  return find() as Held;
};
