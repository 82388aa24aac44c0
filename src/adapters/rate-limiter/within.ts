/** No answer in time. */
export class Silence extends Error {
  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds} ms`);
    this.name = 'Silence';
  }
}

/** A stretch in which this process was busy counts as one slice at most: its own slowness is not taken for a silent server. */
const SLICES = 4;

/** Rejects when the time is up. */
export const within = <T>(milliseconds: number, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    let left = SLICES;
    let timer: NodeJS.Timeout;
    const wait = () => {
      if (left === 0) return reject(new Silence(milliseconds));
      left -= 1;
      timer = setTimeout(wait, milliseconds / SLICES);
    };
    wait();
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
