// The core and the panel in another language: each text of Parley is replaced by one in brackets, with accents. Agent
// texts are Greek here, so that a Latin word outside of brackets is a text that was not translated.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Locator } from "playwright-core";
import { agentProblem } from "../../src/acp/agentProblems.ts";
import { closedOutputProblem, exitProblem } from "../../src/agents/launch.ts";
import { agentPresets } from "../../src/agents/registry.ts";
import type { Problem } from "../../src/base/errors.ts";
import { setTranslator, fillPlaceholders } from "../../src/base/l10n.ts";
import { nullLog } from "../../src/base/log.ts";
import type { View } from "../../src/panel/protocol.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { logged } from "../support/fakes/arbitraryEvents.ts";
import { replayAtOnce, WholeProjector } from "../support/fakes/wholeViews.ts";
import { openPanel, usePanel } from "./panelPage.ts";
import { snapshot } from "./scenes.ts";

const accents: Readonly<Record<string, string>> = { a: "á", e: "é", i: "í", o: "ó", u: "ú", y: "ý" };
const pseudo = (text: string): string => `⟦${text.replace(/\{\d+\}|[aeiouy]/g, found => accents[found] ?? found)}⟧`;
const texts = Object.keys(JSON.parse(readFileSync("l10n/bundle.l10n.json", "utf8")) as object);
const translations = Object.fromEntries(texts.map(text => [text, pseudo(text)]));

const agentName = "Πράκτορας";
const greek = "Αλφα βήτα γάμμα";
const kinds = ["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"];

const events = (): readonly SessionEvent[] => [
  { type: "opened", agent: "α", agentName, cwd: "/α" },
  { type: "connection", state: "ready" },
  { type: "promptSent", submission: "1", content: [{ type: "text", text: greek }] },
  { type: "promptAccepted", submission: "1", messageId: "1" },
  { type: "activity", state: "running" },
  { type: "messageChunk", author: "thought", messageId: "2", content: { type: "text", text: greek } },
  { type: "messageChunk", author: "agent", messageId: "3", content: { type: "text", text: greek } },
  { type: "plan", planId: "1", entries: [{ content: greek, priority: "high", status: "in_progress" }] },
  ...kinds.map(kind => ({ type: "tool", toolCallId: kind, patch: { kind, status: "completed" } }) as const),
  ...kinds.map(
    kind =>
      ({
        type: "tool",
        toolCallId: `${kind}1`,
        patch: { kind, status: "failed", locations: [{ path: "/α/β" }] },
      }) as const,
  ),
  {
    type: "tool",
    toolCallId: "diff",
    patch: {
      title: greek,
      status: "completed",
      content: [{ type: "diff", path: "/α/γ", oldText: "α\n", newText: "β\n" }],
    },
  },
  { type: "file", path: "/α/γ", note: "unsaved" },
  { type: "tool", toolCallId: "asked", patch: { kind: "execute", status: "pending" } },
  {
    type: "askOpened",
    ask: "1",
    title: "",
    toolCallId: "asked",
    options: [{ id: "1", name: greek, kind: "allow_once" }],
    answer: { option: "1" },
    by: greek,
  },
  {
    type: "askOpened",
    ask: "2",
    title: "",
    toolCallId: "asked",
    always: true,
    options: [{ id: "1", name: greek, kind: "allow_once" }],
  },
  { type: "unknown", method: "", raw: 1, variant: "ω" },
];

const problems = (): readonly Problem[] => {
  const definition = { ...agentPresets[0], name: agentName, command: "α" } as (typeof agentPresets)[number];
  const died = { code: 1, signal: null, wasStopped: false, stderr: "" };
  return [
    exitProblem(definition, died, true),
    exitProblem(definition, { ...died, signal: "SIGTERM" }, false),
    closedOutputProblem(definition),
    agentProblem(new Error(""), name => `${name} `, { agentName, signInMethods: [] }),
  ];
};

/** The texts and labels of an element, and of all elements in it, with a Latin word that is not in brackets. */
async function untranslated(element: Locator): Promise<readonly string[]> {
  const found = await element.evaluate(root => {
    const shown: string[] = [];
    const labels = ["aria-label", "title", "placeholder", "alt"];
    const collect = (node: Node): void => {
      if (node instanceof Text) shown.push(node.data);
      if (node instanceof Element) {
        if (node.matches("script, style")) return;
        shown.push(...labels.flatMap(name => node.getAttribute(name) ?? []));
      }
      node.childNodes.forEach(collect);
    };
    collect(root);
    return shown;
  });
  return [...new Set(found)].filter(text => /[a-z]{2}/i.test(withoutBrackets(text)));
}

/** The text without what is in brackets, also in brackets within brackets. */
function withoutBrackets(text: string): string {
  const shorter = text.replace(/⟦[^⟦⟧]*⟧/g, "");
  return shorter === text ? text : withoutBrackets(shorter);
}

describe("Parley in another language", () => {
  usePanel();
  let reset: () => void;
  before(() => {
    reset = setTranslator((text, ...args) => fillPlaceholders(translations[text] ?? text, args));
  });
  after(() => reset());

  it("shows each of its texts in the head, the problems and the cards in this language", async () => {
    const { state } = replayAtOnce(logged(events()), nullLog);
    const agents = [{ id: "α", name: agentName }];
    const projector = new WholeProjector();
    const show = (problem: Problem | null): View =>
      projector.project(
        { ...state, lost: problem },
        { agents, chosenAgent: null, problem: null, changes: null, follow: "off", sendKey: "enter" },
      );
    const panel = await openPanel([snapshot(show(null))], { translations });
    await panel.page.getByRole("log", { name: pseudo("Conversation") }).waitFor();
    assert.deepEqual(await untranslated(panel.page.locator("#parley")), []);
    for (const problem of problems()) {
      await panel.show(show(problem));
      await panel.page.getByText(problem.message).first().waitFor();
      assert.deepEqual(await untranslated(panel.page.locator("#parley")), [], problem.message);
    }
    await panel.assertClean();
  });
});
