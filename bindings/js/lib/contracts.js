// Tool contracts and lint, which only the full build has.

import { UNREADABLE, givenText, instanceLimit, longer, textOf } from './engine.js';
import { ContractError, InputError, InternalError, SchemaError } from './errors.js';
import { OPTIONS, READ_BYTES, definitionText, optionsText } from './validator.js';

/** The class of tool contracts on an engine, and the lint function. */
export function contracts(engine) {
  const registry = new FinalizationRegistry(({ wasm, handle }) => {
    if (wasm === engine.wasm) engine.call('free_contract', handle);
  });

  class ToolContract {
    #tool;
    #options;
    #name;
    #limit;
    #wasm;
    #handle;

    constructor(tool, options) {
      this.#tool = definitionText(tool, DEFINITION);
      this.#options = optionsText(options);
      this.#read();
    }

    #read() {
      if (this.#handle === 0) throw new TypeError('the contract was disposed of');
      if (this.#wasm !== undefined) registry.unregister(this);
      const handle = engine.call('contract', ...engine.write([this.#tool, DEFINITION], [this.#options, OPTIONS]));
      if (handle === 0) throw new ContractError(engine.json());
      this.#name = engine.output();
      this.#limit = instanceLimit(engine.call('contract_instance_bytes', handle) >>> 0);
      this.#wasm = engine.wasm;
      this.#handle = handle;
      registry.register(this, { wasm: this.#wasm, handle }, this);
    }

    get name() {
      return this.#name;
    }

    /** Checks what `text` returns for the limit. */
    #decide(check, text) {
      if (this.#wasm !== engine.wasm || this.#handle === 0) this.#read();
      const length = engine.writeOne(text(this.#limit), this.#limit);
      const answer = engine.call(check, this.#handle, length);
      if (answer === UNREADABLE) throw new InputError(engine.json());
      if (answer > UNREADABLE) throw new InternalError({ code: 'internal', message: 'the engine does not know the contract' });
      return engine.json();
    }

    /** As `#decide`. Arguments over the limit are refused, as arguments that are not JSON are. */
    #decideArguments(text) {
      try {
        return this.#decide('check_arguments', text);
      } catch (error) {
        if (!(error instanceof InputError && error.code === 'limit')) throw error;
        const { message } = error;
        return { pass: false, code: 'message-json', message, errors: [], complete: true, error: { code: PARSE_ERROR, message } };
      }
    }

    checkArguments(value = {}) {
      return this.#decideArguments((limit) => textOf(value, limit));
    }

    checkArgumentsText(text) {
      return this.#decideArguments((limit) => givenText(text, limit));
    }

    checkResult(result) {
      return this.#decide('check_result', (limit) => textOf(result, limit));
    }

    checkResultText(text) {
      return this.#decide('check_result', (limit) => givenText(text, limit));
    }

    dispose() {
      if (this.#handle === 0) return;
      registry.unregister(this);
      if (this.#wasm === engine.wasm) engine.call('free_contract', this.#handle);
      this.#handle = 0;
    }
  }
  if (Symbol.dispose) ToolContract.prototype[Symbol.dispose] = ToolContract.prototype.dispose;

  function lint(listing, options) {
    const done = engine.call('lint', ...engine.write([definitionText(listing, LISTING), LISTING], [optionsText(options), OPTIONS]));
    const report = engine.json();
    if (done === 0) throw new SchemaError(report);
    return report;
  }

  return { ToolContract, lint };
}

/** The limit on a tool's definition: that of the engine's reader of definitions. */
const DEFINITION_BYTES = 64 << 20;
const DEFINITION = {
  bytes: DEFINITION_BYTES,
  error: () => new ContractError({ code: 'tool-json', message: longer(DEFINITION_BYTES) }),
};
/** The limit on a listing to lint. */
const LISTING = {
  bytes: READ_BYTES,
  error: () => new SchemaError({ code: 'option', message: `the listing cannot be read: ${longer(READ_BYTES)}` }),
};
/** JSON-RPC's code for a text that is not JSON. */
const PARSE_ERROR = -32700;
