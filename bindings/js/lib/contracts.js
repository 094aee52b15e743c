// Tool contracts and lint, which only the full build has.

import { UNREADABLE, givenText, textOf } from './engine.js';
import { ContractError, InputError, InternalError, SchemaError } from './errors.js';
import { SCHEMA_CHARACTERS, definitionText, optionsText } from './validator.js';

/** The class of tool contracts on an engine, and the lint function. */
export function contracts(engine) {
  const registry = new FinalizationRegistry(({ wasm, handle }) => {
    if (wasm === engine.wasm) engine.call('free_contract', handle);
  });

  class ToolContract {
    #tool;
    #options;
    #name;
    #wasm;
    #handle;

    constructor(tool, options) {
      this.#tool = definitionText(tool);
      this.#options = optionsText(options);
      this.#read();
    }

    #read() {
      if (this.#handle === 0) throw new TypeError('the contract was disposed of');
      if (this.#wasm !== undefined) registry.unregister(this);
      const handle = engine.call('contract', ...engine.write(this.#tool, this.#options));
      if (handle === 0) throw new ContractError(engine.json());
      this.#name = engine.output();
      this.#wasm = engine.wasm;
      this.#handle = handle;
      registry.register(this, { wasm: this.#wasm, handle }, this);
    }

    get name() {
      return this.#name;
    }

    #decide(check, text) {
      if (this.#wasm !== engine.wasm || this.#handle === 0) this.#read();
      const answer = engine.call(check, this.#handle, engine.writeOne(text));
      if (answer === UNREADABLE) throw new InputError(engine.json());
      if (answer > UNREADABLE) throw new InternalError({ code: 'internal', message: 'the engine does not know the contract' });
      return engine.json();
    }

    checkArguments(value = {}) {
      return this.#decide('check_arguments', textOf(value, SCHEMA_CHARACTERS));
    }

    checkArgumentsText(text) {
      return this.#decide('check_arguments', givenText(text));
    }

    checkResult(result) {
      return this.#decide('check_result', textOf(result, SCHEMA_CHARACTERS));
    }

    checkResultText(text) {
      return this.#decide('check_result', givenText(text));
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
    const done = engine.call('lint', ...engine.write(definitionText(listing), optionsText(options)));
    const report = engine.json();
    if (done === 0) throw new SchemaError(report);
    return report;
  }

  return { ToolContract, lint };
}
