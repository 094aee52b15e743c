/** Checks values and JSON text against JSON Schema with hard limits, and the contracts of MCP tools. */

import type { Options, ToolsureError, ValidationError } from './lean.js';

export * from './lean.js';

/** A protocol version of MCP. */
export type ProtocolVersion = '2024-11-05' | '2025-03-26' | '2025-06-18' | '2025-11-25' | '2026-07-28';

/** Settings of a contract. `strictness` is `lenient` unless it is set, as in the guard. */
export interface ContractOptions extends Options {
  /** The protocol version of the peer. Default: `2026-07-28`. */
  protocolVersion?: ProtocolVersion;
}

/** Whether a call or a result may pass. */
export type Decision = Pass | Refusal;

export interface Pass {
  readonly ok: true;
  /** What the check found. Only `valid` means that a schema was matched. */
  readonly checked: 'valid' | 'no-output-schema' | 'error-result' | 'input-required' | 'task' | 'era-without-output' | 'not-checked';
}

export interface Refusal {
  readonly ok: false;
  /** A stable code, such as `arguments-invalid`, `result-missing` or `arguments-undecided`. */
  readonly code: string;
  /** The text for a model or a person. */
  readonly message: string;
  readonly errors: ValidationError[];
  readonly complete: boolean;
  /** The setting that raises the limit, if the check is undecided. */
  readonly setting?: string;
  /** The tool result to answer with, if the protocol version reports refusals as results. */
  readonly result?: object;
  /** The JSON-RPC error to answer with otherwise. */
  readonly error?: { readonly code: number; readonly message: string };
}

/** The contract of a tool, from its definition, with both schemas compiled. */
export declare class ToolContract {
  /** @throws {ContractError} The definition is malformed, or a schema does not compile. */
  constructor(tool: object | string | Uint8Array, options?: ContractOptions);
  get name(): string;
  /** Checks the arguments of a call. Absent arguments are `{}`. */
  checkArguments(value?: unknown): Decision;
  checkArgumentsText(text: string | Uint8Array | ArrayBuffer): Decision;
  /** Checks a result of `tools/call`: the whole result, not only its structured content. */
  checkResult(result: unknown): Decision;
  checkResultText(text: string | Uint8Array | ArrayBuffer): Decision;
  /**
   * Makes arguments valid where the fix is certain: `"5"` becomes 5, `"[1]"` an array. Nothing else is changed.
   * @throws {UndecidedError} The arguments are over the limit of 256 KiB.
   */
  repairArguments(value?: unknown): Repair;
  /** Frees the memory now. Otherwise the garbage collector frees it later. */
  dispose(): void;
  [Symbol.dispose](): void;
}

/** What a repair of arguments came to. */
export type Repair =
  | { readonly outcome: 'valid' }
  | { readonly outcome: 'repaired'; readonly arguments: Record<string, unknown>; readonly edits: RepairEdit[] }
  | { readonly outcome: 'unrepaired'; readonly complete: boolean }
  | { readonly outcome: 'undecided'; readonly message: string; readonly setting?: string };

export interface RepairEdit {
  /** The location, a JSON pointer into the arguments. */
  readonly pointer: string;
  readonly kind: 'parsed' | 'null-removed' | 'default-filled' | 'other';
  /** The JSON text before and after, cut at 100 characters. */
  readonly from: string;
  readonly to: string;
  readonly message: string;
}

/** A definition that is malformed, or whose schemas do not compile. */
export declare class ContractError extends ToolsureError {
  /** The location, a JSON pointer into the definition. */
  readonly schemaPath?: string;
}
