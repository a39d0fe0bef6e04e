// The diagram page: draws the source in the colours of the theme, or shows the error in the source.
import DOMPurify from "dompurify";
import { t } from "../base/l10n.ts";

interface Mermaid {
  initialize(options: Readonly<Record<string, unknown>>): void;
  render(id: string, source: string): Promise<{ readonly svg: string }>;
}
declare const mermaid: Mermaid;

const source = JSON.parse(document.getElementById("source")?.textContent ?? '""') as string;
const container = document.getElementById("diagram") as HTMLElement;
let drawCount = 0;

/** VS Code gives the body a class for the kind of theme. */
function themeConfig(body: HTMLElement): Readonly<Record<string, unknown>> {
  const has = (name: string): boolean => body.classList.contains(name);
  if (has("vscode-high-contrast-light")) return contrastTheme("#ffffff", "#000000", false);
  if (has("vscode-high-contrast")) return contrastTheme("#000000", "#ffffff", true);
  return { theme: has("vscode-light") ? "default" : "dark" };
}

function contrastTheme(back: string, front: string, darkMode: boolean): Readonly<Record<string, unknown>> {
  const themeVariables = {
    darkMode, background: back, mainBkg: back, primaryColor: back, secondaryColor: back, tertiaryColor: back,
    primaryTextColor: front, secondaryTextColor: front, tertiaryTextColor: front, textColor: front, lineColor: front,
    primaryBorderColor: front, secondaryBorderColor: front, tertiaryBorderColor: front, edgeLabelBackground: back,
    noteBkgColor: back, noteTextColor: front, noteBorderColor: front,
  }; // prettier-ignore
  return { theme: "base", themeVariables };
}

async function draw(): Promise<void> {
  const drawId = ++drawCount;
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    suppressErrorRendering: true,
    fontFamily: getComputedStyle(document.body).fontFamily,
    ...themeConfig(document.body),
  });
  try {
    const { svg } = await mermaid.render(`diagram-${drawId}`, source);
    if (drawId === drawCount) show(svg);
  } catch (error) {
    if (drawId === drawCount) showError(error);
  }
}

/** Labels are HTML inside the SVG. Mermaid sanitizes with the same options, but its parser reads hostile text. */
const sanitizerOptions = {
  ADD_TAGS: ["foreignobject"],
  ADD_ATTR: ["dominant-baseline"],
  HTML_INTEGRATION_POINTS: { foreignobject: true },
};

function show(svg: string): void {
  const parsed = DOMPurify.sanitize(svg, { ...sanitizerOptions, RETURN_DOM_FRAGMENT: true }).querySelector("svg");
  if (!parsed) return showError(undefined);
  parsed.role = "img";
  parsed.ariaLabel ??= t("Diagram");
  container.replaceChildren(parsed);
}

function showError(error: unknown): void {
  const message = error instanceof Error ? error.message : "";
  const sentence = document.createElement("p");
  sentence.role = "alert";
  sentence.textContent = t("Could not draw this diagram because its source contains an error.");
  const blocks = [message, source]
    .filter(text => text !== "")
    .map(text => {
      const block = document.createElement("pre");
      block.tabIndex = 0;
      block.textContent = text;
      return block;
    });
  container.replaceChildren(sentence, ...blocks);
}

new MutationObserver(() => void draw()).observe(document.body, { attributeFilter: ["class"] });
await draw();
