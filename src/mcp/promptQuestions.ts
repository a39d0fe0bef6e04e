// What Parley asks the user for prompts of MCP servers and of files: forms and previews, above the composer. They belong to
// no agent, so they are neither part of a session nor logged.
import type { ViewPart, ViewQuestion } from "../panel/protocol.ts";
import { completeAnswers, type Form, type FormAnswer, type FormValue, type WebAddress } from "../session/forms/form.ts";
import { rememberSecretAnswers } from "../session/forms/secretAnswers.ts";

export type PreviewAnswer = "send" | "edit" | "cancel";

export interface PromptPreview {
  readonly title: string;
  readonly sections: readonly { readonly role: "user" | "assistant"; readonly parts: readonly ViewPart[] }[];
  readonly notes: readonly string[];
}

interface OpenQuestion {
  readonly session: string;
  readonly view: ViewQuestion;
  readonly form?: Form;
  /** Settles a form or a web address. */
  readonly answer?: (answer: FormAnswer) => void;
  readonly choose?: (answer: PreviewAnswer) => void;
  /** Completes the arguments of a prompt. */
  readonly complete?: ArgumentCompleter;
}

/** Values for an argument, given the values that the form has now. */
export type ArgumentCompleter = (
  field: string,
  values: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<readonly string[]>;

/** The open forms and previews, oldest first. Each is settled exactly once. */
export class PromptQuestions {
  readonly #newId: () => string;
  readonly #onDidChange: () => void;
  readonly #open = new Map<string, OpenQuestion>();
  #views = new Map<string, readonly ViewQuestion[]>();

  constructor(newId: () => string, onDidChange: () => void) {
    this.#newId = newId;
    this.#onDidChange = onDidChange;
  }

  /** What a session asks. The same list until something changes. */
  views(session: string | undefined): readonly ViewQuestion[] {
    return (session === undefined ? undefined : this.#views.get(session)) ?? noViews;
  }

  /** Asks for the arguments of a prompt from `origin`, or for what the server `asker` needs. */
  askForm(
    form: Form,
    {
      session,
      signal,
      complete,
      ...from
    }: { session: string; signal: AbortSignal; complete?: ArgumentCompleter } & (
      | { asker: string }
      | { origin: string }
    ),
  ): Promise<FormAnswer> {
    return this.#ask<FormAnswer>("cancelled", signal, (id, settle) => ({
      session,
      view: { ...base(id, form.message), form, ...from },
      form,
      answer: settle,
      ...(complete && { complete }),
    }));
  }

  /** Asks whether the user wants to open the web address that the server `asker` needs. */
  askAddress(
    message: string,
    address: WebAddress,
    { session, asker, signal }: { session: string; asker: string; signal: AbortSignal },
  ): Promise<FormAnswer> {
    return this.#ask<FormAnswer>("cancelled", signal, (id, settle) => ({
      session,
      view: { ...base(id, message), address, asker },
      answer: settle,
    }));
  }

  /** The user opens the web address of a question, which is the answer. Returns it. Undefined: there is no such question. */
  openAddress(id: string): string | undefined {
    const question = this.#open.get(id);
    const href = question?.view.address?.href;
    if (href !== undefined) question?.answer?.({ action: "accept" });
    return href;
  }

  /** Shows what would be sent. */
  preview(
    { title, ...preview }: PromptPreview,
    { session, origin, signal }: { session: string; origin: string; signal: AbortSignal },
  ): Promise<PreviewAnswer> {
    return this.#ask<PreviewAnswer>("cancel", signal, (id, settle) => ({
      session,
      view: { ...base(id, title), preview, origin },
      choose: settle,
    }));
  }

  #ask<T>(
    aborted: T,
    signal: AbortSignal,
    open: (id: string, settle: (answer: T) => void) => OpenQuestion,
  ): Promise<T> {
    if (signal.aborted) return Promise.resolve(aborted);
    const id = this.#newId();
    return new Promise(resolve => {
      const settle = (answer: T): void => {
        if (!this.#open.delete(id)) return;
        signal.removeEventListener("abort", abort);
        this.#changed();
        resolve(answer);
      };
      const abort = (): void => settle(aborted);
      signal.addEventListener("abort", abort, { once: true });
      this.#open.set(id, open(id, settle));
      this.#changed();
    });
  }

  #changed(): void {
    this.#views = new Map();
    for (const { session, view } of this.#open.values())
      this.#views.set(session, [...(this.#views.get(session) ?? []), view]);
    this.#onDidChange();
  }

  has(id: string): boolean {
    return this.#open.has(id);
  }

  form(id: string): Form | undefined {
    return this.#open.get(id)?.form;
  }

  completer(id: string): ArgumentCompleter | undefined {
    return this.#open.get(id)?.complete;
  }

  /** Answers a form, or refuses a web address. An incomplete answer has no effect. */
  answer(
    id: string,
    action: "accept" | "decline" | "cancel",
    values: ReadonlyMap<string, FormValue> = new Map(),
  ): void {
    const question = this.#open.get(id);
    if (!question?.answer) return;
    if (action === "cancel") return question.answer("cancelled");
    if (action === "decline") return question.answer({ action: "decline" });
    // A web address is accepted by opening it.
    if (!question.form) return;
    const complete = completeAnswers(question.form, values);
    if (!complete) return;
    rememberSecretAnswers(question.form, complete);
    question.answer({ action: "accept", values: complete });
  }

  /** Answers a preview. */
  choose(id: string, answer: PreviewAnswer): void {
    this.#open.get(id)?.choose?.(answer);
  }
}

const noViews: readonly ViewQuestion[] = [];

const base = (id: string, title: string): ViewQuestion => ({ id, title, parts: [], locations: [], options: [] });
