/** Checks values and JSON text against JSON Schema with hard limits, checks the contracts of MCP tools, and lints listings. */

import type { Options, ToolsureError, ValidationError } from './lean.js';

export * from './lean.js';

/** A protocol version of MCP. */
export type ProtocolVersion = '2024-11-05' | '2025-03-26' | '2025-06-18' | '2025-11-25' | '2026-07-28';

export interface ContractOptions extends Options {
  /** The protocol version of the peer. Default: `2026-07-28`. */
  protocolVersion?: ProtocolVersion;
}

/** Whether a call or a result may pass. */
export type Decision = Pass | Refusal;

export interface Pass {
  readonly pass: true;
  /** What the check found. Only `valid` means that a schema was matched. */
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
  /** Frees the memory now. Otherwise the garbage collector frees it later. */
  dispose(): void;
}

/** A definition that is malformed, or whose schemas do not compile. */
export declare class ContractError extends ToolsureError {
  /** The location, a JSON pointer into the definition. */
  readonly schemaPath?: string;
}

export interface LintOptions extends Options {
  /** Profiles whose rules are turned on besides the default ones. */
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
  /** The rule's code, such as `TL032`, and its name. */
  readonly code: string;
  readonly rule: string;
  readonly severity: 'error' | 'warning' | 'note';
  /** The index of the tool in the listing, from 0; absent if the finding is about the listing itself. */
  readonly tool?: number;
  /** The location, a JSON pointer into the tool. */
  readonly pointer: string;
  readonly message: string;
  readonly help?: string;
  readonly setting?: string;
  /** The range in the tool's JSON text, in bytes. */
  readonly start?: number;
  readonly end?: number;
  /** Edits of the tool's JSON text that fix it. */
  readonly fix?: { readonly safe: boolean; readonly edits: { readonly start: number; readonly end: number; readonly text: string }[] };
}

export interface LintReport {
  readonly findings: LintFinding[];
  /** Findings over the limits, which are only counted. */
  readonly more: number;
  /** Estimated tokens of each tool, as a model sees it. */
  readonly tokens: number[];
}

/**
 * Lints the tools of a listing: an array of tools, or `{tools: […]}`, as a value or as text.
 * @throws {SchemaError} The listing cannot be read, or an option is invalid.
 */
export declare function lint(listing: object | string | Uint8Array, options?: LintOptions): LintReport;
