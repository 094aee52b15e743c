// Validators: a schema is compiled once and checked many times.

import { INVALID, UNDECIDED, UNREADABLE, VALID, givenText, instanceLimit, longer, textOf } from './engine.js';
import { InputError, InternalError, SchemaError, UndecidedError } from './errors.js';

const VALID_RESULT = Object.freeze({ verdict: 'valid' });

/** The classes of validators on an engine. */
export function validators(engine) {
  const registry = new FinalizationRegistry(({ wasm, handle }) => {
    if (wasm === engine.wasm) engine.call('free_schema', handle);
  });

  class Validator {
    #schema;
    #schemaLimit;
    #options;
    #limit;
    #wasm;
    #handle;

    constructor(schema, options) {
      this.#options = optionsText(options);
      this.#schemaLimit = schemaLimit(engine.call('schema_bytes', engine.writeOne(this.#options, OPTIONS)));
      this.#schema = definitionText(schema, this.#schemaLimit);
      this.#compile();
    }

    #compile() {
      if (this.#handle === 0) throw new TypeError('the validator was disposed of');
      if (this.#wasm !== undefined) registry.unregister(this);
      const handle = engine.call('compile', ...engine.write([this.#schema, this.#schemaLimit], [this.#options, OPTIONS]));
      if (handle === 0) throw new SchemaError(engine.json());
      this.#wasm = engine.wasm;
      this.#handle = handle;
      this.#limit = instanceLimit(engine.call('instance_bytes', handle) >>> 0);
      registry.register(this, { wasm: this.#wasm, handle }, this);
    }

    /** Checks text in the input buffer. */
    #check(length) {
      try {
        return this.#wasm.check(this.#handle, length);
      } catch (error) {
        throw engine.fault(error);
      }
    }

    #ready() {
      if (this.#wasm !== engine.wasm || this.#handle === 0) this.#compile();
    }

    #report(answer, length) {
      switch (answer) {
        case VALID:
          return VALID_RESULT;
        case INVALID:
          engine.call('explain', this.#handle, length);
          return engine.json();
        case UNDECIDED:
          return engine.json();
        case UNREADABLE:
          throw new InputError(engine.json());
        default:
          throw new InternalError({ code: 'internal', message: 'the engine does not know the schema' });
      }
    }

    #decide(answer) {
      if (answer === VALID) return true;
      if (answer === INVALID) return false;
      if (answer === UNDECIDED) throw new UndecidedError(engine.json());
      return this.#report(answer, 0);
    }

    validate(value) {
      this.#ready();
      const length = engine.writeOne(textOf(value, this.#limit), this.#limit);
      return this.#report(this.#check(length), length);
    }

    validateText(text) {
      this.#ready();
      const length = engine.writeOne(givenText(text, this.#limit), this.#limit);
      return this.#report(this.#check(length), length);
    }

    isValid(value) {
      this.#ready();
      return this.#decide(this.#check(engine.writeOne(textOf(value, this.#limit), this.#limit)));
    }

    isValidText(text) {
      this.#ready();
      return this.#decide(this.#check(engine.writeOne(givenText(text, this.#limit), this.#limit)));
    }

    get warnings() {
      this.#ready();
      engine.call('warnings', this.#handle);
      return engine.json();
    }

    /** Bytes of WebAssembly memory, which grows and never shrinks. */
    static memoryBytes() {
      return engine.wasm.memory.buffer.byteLength;
    }

    dispose() {
      if (this.#handle === 0) return;
      registry.unregister(this);
      if (this.#wasm === engine.wasm) engine.call('free_schema', this.#handle);
      this.#handle = 0;
    }
  }
  if (Symbol.dispose) Validator.prototype[Symbol.dispose] = Validator.prototype.dispose;

  class ToolsureJsonSchemaValidator {
    #options;
    #throws;

    constructor({ uncompilable = 'refuse', ...options } = {}) {
      if (uncompilable !== 'refuse' && uncompilable !== 'throw') {
        throw new TypeError("`uncompilable` must be 'refuse' or 'throw'");
      }
      this.#throws = uncompilable === 'throw';
      // As in the guard: an invalid keyword must not make the tool unusable.
      this.#options = { strictness: 'lenient', ...options };
    }

    getValidator(schema) {
      let validator;
      try {
        validator = new Validator(schema, this.#options);
      } catch (error) {
        if (this.#throws || error.code === 'option') throw error;
        return () => refused(`the schema cannot be used: ${error.message}`);
      }
      return (data) => {
        try {
          const result = validator.validate(data);
          if (result.verdict === 'valid') return { valid: true, data, errorMessage: undefined };
          return refused(result.message);
        } catch (error) {
          return refused(error.message);
        }
      };
    }
  }

  return { Validator, ToolsureJsonSchemaValidator };
}

/** The SDK has two verdicts: undecided counts as invalid. */
function refused(errorMessage) {
  return { valid: false, data: undefined, errorMessage };
}

/** The text of a schema, a tool or a listing, which is given as text or as a value. */
export function definitionText(definition, limit) {
  if (typeof definition === 'string' || definition instanceof Uint8Array) return givenText(definition, limit);
  try {
    return textOf(definition, limit);
  } catch (error) {
    if (error instanceof InputError) throw new SchemaError({ code: 'json', message: error.message, schemaPath: error.instancePath });
    throw error;
  }
}

/** Options as text; empty if there are none. */
export function optionsText(options) {
  if (options === undefined) return '';
  try {
    return textOf(options, OPTIONS);
  } catch (error) {
    if (error instanceof InputError) throw new SchemaError({ code: 'option', message: `options: ${error.message}` });
    throw error;
  }
}

/** The limit on the text of a schema. */
function schemaLimit(bytes) {
  const details = {
    code: 'limit',
    message: `more schema bytes than the ${bytes} allowed`,
    schemaPath: '',
    document: '',
    offset: bytes,
    help: 'the setting `limits.schema_bytes` raises this limit',
    setting: 'limits.schema_bytes',
  };
  return { bytes, error: () => new SchemaError(details) };
}

/** Bytes of options, and of a listing to lint: the defaults of the engine's reader. */
export const READ_BYTES = 16 << 20;

/** The limit on options. */
export const OPTIONS = {
  bytes: READ_BYTES,
  error: () => new SchemaError({ code: 'option', message: `the options cannot be read: ${longer(READ_BYTES)}` }),
};
