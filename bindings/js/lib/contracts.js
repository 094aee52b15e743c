// Tool contracts, which only the full build has.

import { UNDECIDED, UNREADABLE, givenText, instanceLimit, longer, reason } from './engine.js';
import { ContractError, InternalError, NotJsonError, UndecidedError } from './errors.js';
import { Handle } from './handle.js';
import { OPTIONS, definitionText, optionsText } from './validator.js';

/** The class of tool contracts on an engine. */
export function contracts(engine) {
  class ToolContract {
    #handle;
    #name;
    #limit;

    constructor(tool, options) {
      const definition = definitionText(tool, DEFINITION, ContractError, 'tool-json');
      const given = optionsText(options, ContractError);
      this.#handle = new Handle(engine, 'contract', this, () => {
        const handle = engine.call('contract', ...engine.write([definition, DEFINITION], [given, OPTIONS]));
        if (handle === 0) throw new ContractError(engine.json());
        return handle;
      });
      this.#name = engine.output();
      engine.call('contract_limits', this.#handle.ready());
      this.#limit = instanceLimit(engine.json());
    }

    get name() {
      return this.#name;
    }

    /** Asks a function of the module about the text that `write` writes. */
    #ask(name, write) {
      const length = write();
      const answer = engine.call(name, this.#handle.number, length);
      if (answer === UNREADABLE) throw new NotJsonError(engine.json());
      if (answer === UNDECIDED) throw new UndecidedError(engine.json());
      if (answer > UNREADABLE) throw new InternalError({ code: 'internal', message: 'the engine does not know the contract' });
      return engine.json();
    }

    #writeText(text) {
      this.#handle.ready();
      return engine.writeOne(givenText(text, this.#limit), this.#limit);
    }

    /** As `#ask`. What is over a limit before it is copied is refused as the engine refuses what it reads. */
    #decide(name, write) {
      try {
        return this.#ask(name, write);
      } catch (error) {
        if (!(error instanceof UndecidedError)) throw error;
        const texts = [reason(error), error.setting ?? ''].map((text) => [text, OPTIONS]);
        this.#handle.ready();
        const lengths = engine.write(...texts);
        engine.call('refuse', this.#handle.number, name === 'check_result' ? 1 : 0, ...lengths);
        return engine.json();
      }
    }

    checkArguments(value = {}) {
      return this.#decide('check_arguments', () => this.#handle.writeValue(value, this.#limit));
    }

    checkArgumentsText(text) {
      return this.#decide('check_arguments', () => this.#writeText(text));
    }

    checkResult(result) {
      return this.#decide('check_result', () => this.#handle.writeValue(result, this.#limit));
    }

    checkResultText(text) {
      return this.#decide('check_result', () => this.#writeText(text));
    }

    repairArguments(value = {}) {
      return this.#ask('repair_arguments', () => this.#handle.writeValue(value, this.#limit));
    }

    dispose() {
      this.#handle.dispose();
    }
  }
  if (Symbol.dispose) ToolContract.prototype[Symbol.dispose] = ToolContract.prototype.dispose;

  return { ToolContract };
}

/** The limit on a tool's definition: that of the engine's reader of definitions. */
const DEFINITION_BYTES = 64 << 20;
const DEFINITION = {
  bytes: DEFINITION_BYTES,
  levels: Infinity,
  error: () => new ContractError({ code: 'tool-json', message: longer(DEFINITION_BYTES) }),
};
