// Creates the permission rules and the permission log of a window, and their handlers.
import { homedir } from "node:os";
import type * as vscode from "vscode";
import type { Log } from "../../base/log.ts";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import { firstDiskFolder, sessionRoots } from "../../editor/folders.ts";
import { nodePaths } from "../../files/nodePaths.ts";
import { Confinement } from "../../files/paths.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import type { HeadPart } from "../../panel/headParts.ts";
import type { IntentHandlers } from "../../panel/intentHandlers.ts";
import type { QuestionOption } from "../../session/events.ts";
import type { Session } from "../../session/session.ts";
import { permissionTitle } from "../../session/toolTitle.ts";
import { AllEdits, allEditsHead, allEditsIntents } from "../allEdits.ts";
import { AuditLog } from "../auditLog.ts";
import { PermissionPolicy, withSensitivity } from "../policy.ts";
import { protectionTest, type ProtectionSettings } from "../protectedFiles.ts";
import { secretMatcher } from "../sensitiveFiles.ts";
import { readHookFolders } from "./protectedHooks.ts";
import { PermissionLog } from "./permissionLog.ts";
import { PermissionRules } from "./permissionRules.ts";
import { RulesTab, type RulesTabOptions } from "./rulesTab.ts";
import { factsContext, factsOf, runsInWindow } from "./questionContext.ts";

export interface PermissionsOptions {
  /** Globs of files that look like secrets, beside the built-in ones. */
  readonly sensitive: () => readonly string[];
  /** The user's changes to the lists of protected files. */
  readonly protection: () => ProtectionSettings;
  /** Shows the page of rules in a webview. */
  readonly openPage: (webview: vscode.Webview) => void;
  /** The open session with this id. */
  readonly session: (id: string | undefined) => Session | undefined;
}

export interface PermissionsFeature {
  readonly rules: PermissionRules;
  readonly audit: AuditLog;
  /** When programs run a file, for a mark on its changes. */
  readonly runsOf: ReturnType<typeof runsInWindow>;
  readonly commands: CommandHandlers<"parley.managePermissionRules" | "parley.showPermissionLog">;
  readonly intents: IntentHandlers<"always" | "manageRules" | "allowAllEdits">;
  /** The sessions in which the user allows all edits. */
  readonly allEdits: AllEdits;
  readonly head: HeadPart<"allowsEdits">;
}

/** Creates the rules, which apply to every session of the window, and the log of all answers. */
export function createPermissions(
  { context, store, log, storage }: ExtensionPlatform,
  options: PermissionsOptions,
): PermissionsFeature {
  const { sensitive } = options;
  const audit = new AuditLog(storage, log);
  const rules = store.add(new PermissionRules({ workspaceState: context.workspaceState, log, sensitive }));
  // Reports invalid rules now: a mistyped deny rule must not stay unnoticed until the first question.
  rules.ruleSet();
  const tab = store.add(
    new RulesTab({ rules, log, openPage: options.openPage, evaluate: evaluatorOf(rules, options, log) }),
  );
  const allEdits = new AllEdits();
  const permissionLog = store.add(new PermissionLog(audit));
  return {
    rules,
    audit,
    allEdits,
    head: allEditsHead(allEdits),
    runsOf: runsInWindow(options.protection),
    commands: {
      "parley.managePermissionRules": () => tab.show(),
      "parley.showPermissionLog": () => permissionLog.show(),
    },
    intents: {
      always: ({ question, session }) => createRule(rules, options, session, question, log),
      ...allEditsIntents(allEdits, options.session),
      manageRules: ({ decision }) => tab.show(decision),
    },
  };
}

/** Applies the rules to a question, as a session in the first workspace folder does. */
function evaluatorOf(
  rules: PermissionRules,
  { sensitive, protection }: PermissionsOptions,
  log: Log,
): RulesTabOptions["evaluate"] {
  return (question, agent) => {
    const folder = firstDiskFolder() ?? homedir();
    const roots = sessionRoots(folder);
    const policy = new PermissionPolicy({
      ...{ rules: () => rules.ruleSet(), sensitive, protection },
      hookFolders: () => readHookFolders(roots, log),
      context: () => factsContext(agent, folder, new Confinement(nodePaths(), roots)),
    });
    return policy.evaluate(question);
  };
}

/** Creates a rule that the user chooses, and answers this question as the rule does. */
async function createRule(
  rules: PermissionRules,
  { sensitive, protection, session: openSession }: PermissionsOptions,
  sessionId: string | undefined,
  questionId: string,
  log: Log,
): Promise<void> {
  const session = openSession(sessionId);
  const question = session?.question(questionId);
  const agent = session?.state.agent;
  if (!session || !agent || !question) return;
  const { workspaceFolder } = session.state;
  const facts = await factsOf(question, agent.id, workspaceFolder);
  const { place } = facts;
  const protectedFiles = { ...protection(), hookFolders: await readHookFolders(place.roots, log) };
  const ruleEffect = await rules.createRule(
    permissionTitle(question.title, question.tool, workspaceFolder),
    withSensitivity(facts, secretMatcher(sensitive(), place), protectionTest(protectedFiles, place)),
  );
  const optionOfKind = (kind: string): QuestionOption | undefined =>
    question.options.find(offered => offered.kind === kind);
  const option =
    ruleEffect === "deny"
      ? (optionOfKind("reject_once") ?? optionOfKind("reject_always"))
      : ruleEffect && optionOfKind("allow_once");
  if (option) session.answer(questionId, option.id);
}
