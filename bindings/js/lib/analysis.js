// What is found in listings, and tools for providers: the exports of the analysis build, for a compiled module.

import { Engine, UNDECIDED, UNREADABLE, givenText, instanceLimit, longer, reason } from './engine.js';
import { InternalError, NotJsonError, SchemaError, UndecidedError } from './errors.js';
import { Handle } from './handle.js';
import { OPTIONS, anyText, definitionText, optionsText, schemaLimit } from './validator.js';

/** @param {WebAssembly.Module} module */
export function analysis(module) {
  const engine = new Engine(module);

  /** The report that a function of the module makes of texts; what is thrown if it makes none. */
  function report(name, texts, options) {
    const made = engine.call(name, ...engine.write(...texts, [optionsText(options), OPTIONS]));
    const answer = engine.json();
    if (made !== 0) return answer;
    throw answer.code === 'json' ? new NotJsonError(answer) : new SchemaError(answer);
  }

  const lint = (listing, options) => report('lint', [listingText(listing)], options);
  const check = (listing, options) => report('check_listing', [listingText(listing)], options);
  const diff = (before, after, options) => report('diff', [listingText(before), listingText(after)], options);
  const argumentSchema = (schema, options) => report('convert_argument_schema', [[definitionText(schema, OTHER, SchemaError), OTHER]], options);

  function generate(schema, options) {
    const given = optionsText(options);
    const { seed, valid, invalid, objects, ...others } = options ?? {};
    const limit = schemaLimit(engine.call('schema_bytes', engine.writeOne(optionsText(others), OPTIONS)));
    const text = definitionText(schema, limit, SchemaError);
    const made = engine.call('generate', ...engine.write([text, limit], [given, OPTIONS]));
    const answer = engine.json();
    if (made === 0) throw new SchemaError(answer);
    return answer;
  }

  class Projection {
    #handle;
    #limit;

    constructor(listing, options) {
      const [text, limit] = listingText(listing);
      const given = optionsText(options);
      this.#handle = new Handle(engine, 'projection', this, () => {
        const handle = engine.call('project', ...engine.write([text, limit], [given, OPTIONS]));
        const answer = engine.json();
        if (handle === 0) throw answer.code === 'json' ? new NotJsonError(answer) : new SchemaError(answer);
        Object.assign(this, answer);
        return handle;
      });
      engine.call('projection_limits', this.#handle.ready());
      this.#limit = instanceLimit(engine.json());
    }

    call(name, value = {}) {
      if (typeof name !== 'string') throw new TypeError('the name of a tool must be a string');
      const texts = [[givenText(name, OTHER), OTHER], [anyText(value, this.#limit), this.#limit]];
      this.#handle.ready();
      const lengths = engine.write(...texts);
      const answer = engine.call('map_call', this.#handle.number, ...lengths);
      if (answer === UNREADABLE) throw new NotJsonError(engine.json());
      if (answer === UNDECIDED) throw new UndecidedError(engine.json());
      if (answer > UNREADABLE) throw new InternalError({ code: 'internal', message: 'the engine does not know the projection' });
      return engine.json();
    }

    dispose() {
      this.#handle.dispose();
    }
  }
  if (Symbol.dispose) Projection.prototype[Symbol.dispose] = Projection.prototype.dispose;

  const project = (listing, options) => new Projection(listing, options);

  return { argumentSchema, check, diff, generate, lint, project };
}

function listingText(listing) {
  try {
    const text = anyText(listing, LISTING);
    return [typeof text === 'string' ? text : text.slice(), LISTING];
  } catch (error) {
    if (error instanceof UndecidedError) throw new SchemaError({ code: 'listing', message: reason(error) });
    throw error;
  }
}

/** A limit on a text that is not an instance. */
function limitOf(bytes, code, what) {
  return { bytes, levels: Infinity, error: () => new SchemaError({ code, message: `${what} cannot be read: ${longer(bytes)}` }) };
}

/** The limit on a listing: that of the engine's reader. */
const LISTING = limitOf(64 << 20, 'listing', 'the listing');
const OTHER = limitOf(16 << 20, 'option', 'the text');
