// The errors that are thrown; `code` says what is wrong.

/** Base class of the errors that this package throws. */
export class ToolsureError extends Error {
  /** @param {{code: string, message: string}} details */
  constructor({ message, ...details }) {
    super(message);
    Object.assign(this, details);
  }
}

/** A schema that does not compile, or an invalid option. */
export class SchemaError extends ToolsureError {}

/** An instance that is not JSON: a text, or a value that JSON does not have. It has no verdict. */
export class NotJsonError extends ToolsureError {}

/** A tool definition that is malformed, or whose schemas do not compile. */
export class ContractError extends ToolsureError {}

/** A limit was reached before the verdict. */
export class UndecidedError extends ToolsureError {
  constructor({ message, setting }) {
    super({ code: 'undecided', message, setting });
  }
}

/** A bug in this package. There is no verdict. */
export class InternalError extends ToolsureError {}

// Written out: a bundler may give the classes other names.
const names = { ToolsureError, SchemaError, NotJsonError, ContractError, UndecidedError, InternalError };
for (const [name, { prototype }] of Object.entries(names)) Object.defineProperty(prototype, 'name', { value: name, configurable: true, writable: true });
