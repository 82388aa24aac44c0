import { messageOf, withToken } from '../api.ts';
import { notify } from './notice.ts';

/** Does something and says what came of it; null if it did not work. */
export const act = async <T>(action: () => Promise<T>, done: string | null): Promise<T | null> => {
  try {
    const result = await withToken(action);
    if (done !== null) notify(done);
    return result;
  } catch (error) {
    notify(messageOf(error), true);
    return null;
  }
};
