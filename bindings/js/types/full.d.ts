/** Checks values and JSON text against JSON Schema under hard bounds; holds tools to their contracts; lints listings. */

import type { Options, ToolgateError, ValidationError } from './lean.js';

export * from './lean.js';

/** A protocol version of MCP. */
export type ProtocolVersion = '2024-11-05' | '2025-03-26' | '2025-06-18' | '2025-11-25' | '2026-07-28';

export interface ContractOptions extends Options {
  /** The version that the peer speaks. Default: `2026-07-28`. */
  protocolVersion?: ProtocolVersion;
}

/** Whether a call or a result may go on. */
export type Decision = Pass | Refusal;

export interface Pass {
  readonly pass: true;
  /** What was found out. Only `valid` says that a schema was matched. */
  readonly checked: 'valid' | 'no-output-schema' | 'error-result' | 'input-required' | 'task' | 'era-without-output' | 'not-checked';
}

export interface Refusal {
  readonly pass: false;
  /** A stable code, such as `arguments-invalid`, `result-missing` or `arguments-undecided`. */
  readonly code: string;
  /** The text for a model or a person. */
  readonly message: string;
  readonly errors: ValidationError[];
  readonly complete: boolean;
  /** The tool result to answer with, if the protocol version reports refusals as results. */
  readonly result?: object;
  /** The JSON-RPC error to answer with otherwise. */
  readonly error?: { readonly code: number; readonly message: string };
}

/** A tool as its server defines it, both schemas compiled. */
export declare class ToolContract {
  /** @throws {ContractError} The definition is malformed, or a schema does not compile. */
  constructor(tool: object | string | Uint8Array, options?: ContractOptions);
  get name(): string;
  /** Checks the arguments of a call. Absent arguments are `{}`. */
  checkArguments(value?: unknown): Decision;
  checkArgumentsText(text: string | Uint8Array | ArrayBuffer): Decision;
  /** Checks a result of `tools/call`: the whole result, not its structured content alone. */
  checkResult(result: unknown): Decision;
  checkResultText(text: string | Uint8Array | ArrayBuffer): Decision;
  /** Gives the memory back now. The garbage collector does so later. */
  dispose(): void;
}

/** A definition that no contract can be made of. */
export declare class ContractError extends ToolgateError {
  /** Where, as a JSON pointer into the definition. */
  readonly schemaPath?: string;
}

export interface LintOptions extends Options {
  /** Readers beyond the default ones whose rules are on. */
  profiles?: (
    | 'openai'
    | 'openai-strict'
    | 'anthropic'
    | 'anthropic-strict'
    | 'gemini'
    | 'vscode'
    | 'cursor'
    | 'claude-code'
    | 'llama-cpp'
    | 'clients'
    | 'legacy'
    | 'strict'
  )[];
  /** Rules to turn off, by code or name. */
  allow?: string[];
  /** Rules to turn on as errors. */
  deny?: string[];
}

export interface LintFinding {
  /** The rule's code, such as `TG032`, and its name. */
  readonly code: string;
  readonly rule: string;
  readonly severity: 'error' | 'warning' | 'note';
  /** Which tool of the listing, from 0; absent if it is about the listing. */
  readonly tool?: number;
  /** Where, as a JSON pointer into the tool. */
  readonly pointer: string;
  readonly message: string;
  readonly help?: string;
  readonly setting?: string;
  /** Where, in bytes of the tool's JSON text. */
  readonly start?: number;
  readonly end?: number;
  /** Edits of the tool's JSON text that mend it. */
  readonly fix?: { readonly safe: boolean; readonly edits: { readonly start: number; readonly end: number; readonly text: string }[] };
}

export interface LintReport {
  readonly findings: LintFinding[];
  /** Findings beyond the bounds, which are only counted. */
  readonly more: number;
  /** Estimated tokens of what a model is shown of each tool. */
  readonly tokens: number[];
}

/**
 * Lints the tools of a listing: an array of tools, or `{tools: […]}`, as a value or as text.
 * @throws {SchemaError} The listing cannot be read, or an option is none.
 */
export declare function lint(listing: object | string | Uint8Array, options?: LintOptions): LintReport;
