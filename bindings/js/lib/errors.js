// What is thrown: each says in `code` what is wrong.

/** Something that this package refuses; the others are kinds of it. */
export class ToolgateError extends Error {
  /** @param {{code: string, message: string}} details */
  constructor({ message, ...details }) {
    super(message);
    Object.assign(this, details);
  }

  get name() {
    return this.constructor.name;
  }
}

/** A schema that does not compile, or an option that there is not. */
export class SchemaError extends ToolgateError {}

/** An instance that is not JSON, or over a limit of the reader. It has no verdict. */
export class InputError extends ToolgateError {}

/** A tool's definition that is not what the protocol says, or whose schemas do not compile. */
export class ContractError extends ToolgateError {}

/** A bound was reached before the answer was known. */
export class UndecidedError extends ToolgateError {
  constructor(details) {
    super({ code: 'undecided', ...details });
  }
}

/** A fault of this package. Nothing was decided. */
export class InternalError extends ToolgateError {}
