// Validators: a schema is compiled once and checked many times.

import { INVALID, UNDECIDED, UNREADABLE, VALID, givenText, instanceLimit, longer, reason, textOf } from './engine.js';
import { InternalError, NotJsonError, SchemaError, ToolsureError, UndecidedError } from './errors.js';
import { Handle } from './handle.js';
import { isPlain } from './json.js';

const VALID_RESULT = Object.freeze({ verdict: 'valid' });

/** The classes of validators on an engine. */
export function validators(engine) {
  class Validator {
    #schema;
    #handle;
    #limit;

    constructor(schema, options) {
      const given = optionsText(options);
      const limit = schemaLimit(engine.call('schema_bytes', engine.writeOne(given, OPTIONS)));
      const text = definitionText(schema, limit, SchemaError);
      this.#schema = text;
      this.#handle = new Handle(engine, 'schema', this, () => {
        const handle = engine.call('compile', ...engine.write([text, limit], [given, OPTIONS]));
        if (handle === 0) throw new SchemaError(engine.json());
        return handle;
      });
      engine.call('instance_limits', this.#handle.ready());
      this.#limit = instanceLimit(engine.json());
    }

    /** Checks text of this length in the input buffer. */
    #check(length) {
      const { number } = this.#handle;
      try {
        return engine.wasm.check(number, length);
      } catch (error) {
        // As in `Engine.call`.
        engine.wasm = undefined;
        throw engine.fault(error);
      }
    }

    #report(length) {
      const answer = this.#check(length);
      if (answer === VALID) return VALID_RESULT;
      if (answer === INVALID) engine.call('explain', this.#handle.number, length);
      if (answer > UNDECIDED) throw this.#noVerdict(answer);
      return engine.json();
    }

    #decide(answer) {
      if (answer === VALID) return true;
      if (answer === INVALID) return false;
      throw answer === UNDECIDED ? new UndecidedError(engine.json()) : this.#noVerdict(answer);
    }

    #noVerdict(answer) {
      if (answer === UNREADABLE) return new NotJsonError(engine.json());
      return new InternalError({ code: 'internal', message: 'the engine does not know the schema' });
    }

    #writeText(text) {
      this.#handle.ready();
      return engine.writeOne(givenText(text, this.#limit), this.#limit);
    }

    check(value) {
      return reported(() => this.#report(this.#handle.writeValue(value, this.#limit)));
    }

    checkText(text) {
      return reported(() => this.#report(this.#writeText(text)));
    }

    isValid(value) {
      return this.#decide(this.#check(this.#handle.writeValue(value, this.#limit)));
    }

    isValidText(text) {
      return this.#decide(this.#check(this.#writeText(text)));
    }

    /** The interface of Standard Schema, version 1, and of Standard JSON Schema. */
    get '~standard'() {
      const schema = () => {
        const found = JSON.parse(typeof this.#schema === 'string' ? this.#schema : new TextDecoder().decode(this.#schema));
        // An object in each case, as the interface says.
        return typeof found === 'boolean' ? (found ? {} : { not: {} }) : found;
      };
      return { version: 1, vendor: 'toolsure', validate: (value) => standard(value, () => this.check(value)), jsonSchema: { input: schema, output: schema } };
    }

    get warnings() {
      engine.call('warnings', this.#handle.ready());
      return engine.json();
    }

    /** Bytes of WebAssembly memory, which grows and never shrinks. */
    static memoryBytes() {
      engine.call('output_length');
      return engine.wasm.memory.buffer.byteLength;
    }

    dispose() {
      this.#handle.dispose();
    }
  }
  if (Symbol.dispose) Validator.prototype[Symbol.dispose] = Validator.prototype.dispose;

  class ToolsureJsonSchemaValidator {
    #options;
    #refuses;

    constructor({ uncompilable = 'throw', ...options } = {}) {
      if (uncompilable !== 'refuse' && uncompilable !== 'throw') {
        throw new TypeError("`uncompilable` must be 'refuse' or 'throw'");
      }
      this.#refuses = uncompilable === 'refuse';
      // As in the guard: an invalid keyword must not make the tool unusable.
      this.#options = { strictness: 'lenient', ...options };
    }

    getValidator(schema) {
      let validator;
      try {
        validator = new Validator(schema, this.#options);
      } catch (error) {
        if (!this.#refuses || error.code === 'option') throw error;
        return () => refused(`the schema cannot be used: ${error.message}`);
      }
      return (data) => {
        try {
          const result = validator.check(data);
          if (result.verdict === 'valid') return { valid: true, data, errorMessage: undefined };
          return refused(result.message);
        } catch (error) {
          return refused(String(error?.message ?? error));
        }
      };
    }
  }

  return { Validator, ToolsureJsonSchemaValidator };
}

/** A report. What is over a limit before it is copied is undecided, as the engine says of what it reads. */
function reported(check) {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof UndecidedError)) throw error;
    const { message, setting } = error;
    return { verdict: 'undecided', message, ...(setting && { setting }) };
  }
}

/** A result of Standard Schema, which has two verdicts: what is undecided, or is not JSON, has an issue. */
function standard(value, check) {
  let result;
  try {
    result = check();
  } catch (error) {
    if (!(error instanceof ToolsureError)) throw error;
    result = { message: error.message };
  }
  if (result.verdict === 'valid') return { value };
  const errors = result.errors ?? [];
  // A limit can be reached before the first error is found.
  if (errors.length === 0) return { issues: [{ message: result.message }] };
  return { issues: errors.map(({ message, instancePath }) => ({ message, path: segments(value, instancePath) })) };
}

/** The keys on the way to a place in a value. */
function segments(value, pointer) {
  return pointer.split('/').slice(1).map((part) => {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const key = Array.isArray(value) ? Number(name) : name;
    value = value?.[key];
    return key;
  });
}

/** The SDK has two verdicts: undecided counts as invalid. */
function refused(errorMessage) {
  return { valid: false, data: undefined, errorMessage };
}

/** The text of a value, which is given as text or as a value. */
export function anyText(value, limit) {
  return typeof value === 'string' || ArrayBuffer.isView(value) ? givenText(value, limit) : textOf(value, limit);
}

/**
 * The text of a schema or a tool, which is given as text or as a value. What is not JSON, or has too many levels, is an
 * error of the given class, with the code that such text has. Bytes are copied: the caller may change them.
 */
export function definitionText(definition, limit, ErrorOf, code = 'json') {
  try {
    const text = anyText(definition, limit);
    return typeof text === 'string' ? text : text.slice();
  } catch (error) {
    if (error instanceof NotJsonError) throw new ErrorOf({ code, message: error.message, schemaPath: error.instancePath ?? '' });
    if (error instanceof UndecidedError) throw new ErrorOf({ code: 'limit', message: reason(error), schemaPath: '' });
    throw error;
  }
}

/** Options as text; empty if there are none. */
export function optionsText(options, ErrorOf = SchemaError) {
  if (options === undefined) return '';
  try {
    const { documents } = options ?? {};
    if (documents !== null && typeof documents === 'object') options = { ...options, documents: texts(documents) };
    return textOf(options, OPTIONS);
  } catch (error) {
    if (error instanceof ToolsureError) throw new ErrorOf({ code: 'option', message: `options: ${reason(error)}` });
    throw error;
  }
}

/**
 * Documents, with strings in the place of bytes. What is no plain object stays as it is, and is refused where the options
 * are written: an array or a `Map` has no URIs.
 */
function texts(documents) {
  if (!isPlain(documents)) return documents;
  return Object.fromEntries(Object.entries(documents).map(([uri, document]) => [uri, ArrayBuffer.isView(document) ? decoded(uri, document) : document]));
}

/** The text of a document. What is not UTF-8 is refused, as in a schema: it would become another document. */
function decoded(uri, bytes) {
  // A copy, because not every runtime decodes memory that is shared.
  const copy = givenText(bytes, OPTIONS).slice();
  try {
    return decoder.decode(copy);
  } catch {
    throw new NotJsonError({ code: 'json', message: `the document \`${uri}\`: the text is not UTF-8` });
  }
}

// A byte order mark is a part of the text here, which the engine refuses.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The limit on the text of a schema. */
export function schemaLimit(bytes) {
  const details = {
    code: 'limit',
    message: `more schema bytes than the ${bytes} allowed`,
    schemaPath: '',
    document: '',
    offset: bytes,
    help: 'the setting `limits.schema_bytes` raises this limit',
    setting: 'limits.schema_bytes',
  };
  return { bytes, levels: Infinity, error: () => new SchemaError(details) };
}

/** Bytes of options: the default of the engine's reader. */
const READ_BYTES = 16 << 20;

/** The limit on options. */
export const OPTIONS = {
  bytes: READ_BYTES,
  levels: Infinity,
  error: () => new SchemaError({ code: 'option', message: `the options cannot be read: ${longer(READ_BYTES)}` }),
};
