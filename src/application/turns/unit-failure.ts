/** Why a unit of work failed, in plain words for the person who started the run. */
export class UnitFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnitFailure';
    this.code = code;
  }
}
