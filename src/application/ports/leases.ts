/** The write was refused: the lease has run out, or another worker has taken what it was for. */
export class LeaseLost extends Error {
  constructor(subject: 'run' | 'conversation' | 'document' | 'delivery' | 'request' | 'source', id: string) {
    super(`the lease on ${subject} ${id} is lost`);
    this.name = 'LeaseLost';
  }
}
