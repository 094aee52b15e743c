// The errors that are thrown; `code` says what is wrong.

/** Base class of the errors that this package throws. */
export class ToolsureError extends Error {
  /** @param {{code: string, message: string}} details */
  constructor({ message, ...details }) {
    super(message);
    Object.assign(this, details);
  }

  get name() {
    return this.constructor.name;
  }
}

/** A schema that does not compile, or an invalid option. */
export class SchemaError extends ToolsureError {}

/** An instance that is not JSON, or is over a limit of the reader. It has no verdict. */
export class InputError extends ToolsureError {}

/** A tool definition that is malformed, or whose schemas do not compile. */
export class ContractError extends ToolsureError {}

/** A limit was reached before the verdict. */
export class UndecidedError extends ToolsureError {
  constructor(details) {
    super({ code: 'undecided', ...details });
  }
}

/** A bug in this package. There is no verdict. */
export class InternalError extends ToolsureError {}
