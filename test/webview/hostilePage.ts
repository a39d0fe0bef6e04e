// The checks that run inside the page after each hostile text.
import type { Page } from "playwright-core";

declare global {
  interface Window {
    __hit?: unknown;
    inspectPanel(): Promise<readonly string[]>;
    strayRequests(): Promise<readonly string[]>;
  }
}

/** Makes the page detect executed code, and defines `inspectPanel`, which returns the faults of the painted panel. */
export async function watch(page: Page): Promise<void> {
  const own = new URL(page.url()).origin;
  const strays: string[] = [];
  const note = (url: string): void =>
    void (
      /^data:/.test(url) ||
      ["chunks", "fonts"].some(folder => url.startsWith(`${own}/${folder}/`)) ||
      strays.push(url)
    );
  page.on("request", request => note(request.url()));
  page.on("popup", popup => note(`popup ${popup.url()}`));
  await page.exposeFunction("strayRequests", () => strays);
  await page.evaluate(() => {
    for (const name of ["alert", "confirm", "prompt", "print", "open"])
      Object.assign(window, { [name]: () => (window.__hit = name) });
    const sheet = document.styleSheets[document.styleSheets.length - 1];
    // Lay out entries outside the view like all others.
    sheet?.insertRule(".entry{content-visibility:visible!important}");
    // Only the layout is checked, because drawing would take a third of the time.
    sheet?.insertRule("#parley{visibility:hidden}");
    const root = document.getElementById("parley") as HTMLElement;
    const tags = "a article audio b bdi blockquote br button code del details div em h1 h2 h3 h4 h5 h6 hr img input ins kbd label li main mark ol option optgroup p pre section select span strong summary svg circle table tbody td textarea th thead tr ul".split(" "); // prettier-ignore
    const attributes = /^(?:class|type|title|alt|rows|placeholder|start|value|label|disabled|selected|checked|open|hidden|controls|controlslist|preload|width|height|role|tabindex|aria-[a-z]+|data-(?:href|path|line|status|kind|severity|operation|failed|state|current|language|level|live|[a-z-]+))$/; // prettier-ignore
    const mathNamespace = "http://www.w3.org/1998/Math/MathML";
    const drawn = /^(?:viewbox|width|height|cx|cy|r|transform|stroke-dasharray|class)$/i;
    const inMath = /^(?:accent|accentunder|class|columnalign|columnspan|depth|display|displaystyle|fence|form|height|largeop|linethickness|lspace|mathvariant|maxsize|minsize|movablelimits|notation|rowspacing|rspace|scriptlevel|separator|stretchy|style|symmetric|voffset|width)$/; // prettier-ignore
    const inMarkdown = /^(?:formula(?:-source)?|undrawn|drawn|open|wide|blocks|far|waiting|plain|link|task|task-item|table|align-\w+|code(?:-bar|-label)?|ellipsis|labelled|icon-button|codicon[\w-]*|hljs-[\w-]+|language-\w+|\w+_|markdown|mermaid[\w-]*)$/; // prettier-ignore

    const attributeFault = (element: Element, { name, value }: Attr): string | undefined => {
      const description = `<${element.localName} ${name}="${value.slice(0, 80)}">`;
      if (name === "src") return /^data:(?:image|audio)\/[\w.+-]+;base64,/.test(value) ? undefined : description;
      if (name === "style" && element.closest("math"))
        return /^(?:[a-z-]+: ?[\w. %-]+;? ?)+$/.test(value) ? undefined : description;
      if (name === "style") return /^(?:--[a-z-]+: ?[#\w. %-]+; ?)+$/.test(value) ? undefined : description;
      // Titles of sessions have the direction of their letters.
      if (name === "dir" && value === "auto" && !element.closest("parley-markdown")) return undefined;
      if (name === "dir") {
        const isCode = element.matches("pre, code, .link[data-path]");
        const isBox = element.matches("li, blockquote, div.table");
        return (isCode && value === "ltr") || (isBox && value === "auto") ? undefined : description;
      }
      if (name === "id") return /^parley[\w-]*$/.test(value) ? undefined : description;
      if (element.closest("math")) return inMath.test(name) ? undefined : description;
      if (element.closest("svg")) return drawn.test(name) || attributes.test(name) ? undefined : description;
      if (name === "class" && element.closest("parley-markdown") && element.localName !== "parley-markdown")
        return value.split(/\s+/).every(word => word === "" || inMarkdown.test(word)) ? undefined : description;
      return attributes.test(name) ? undefined : description;
    };

    const layoutFaults = (): string[] => {
      const faults: string[] = [];
      const { scrollWidth, scrollHeight } = document.documentElement;
      if (scrollWidth > innerWidth || scrollHeight > innerHeight)
        faults.push(`the page scrolls: ${scrollWidth} × ${scrollHeight}`);
      const box = root.querySelector("textarea")?.getBoundingClientRect();
      if (!box || box.bottom > innerHeight || box.height < 10 || box.width < 100) faults.push("the composer is away");
      const header = root.querySelector(".header")?.getBoundingClientRect();
      if (!header || header.top !== 0 || header.height > 60) faults.push("the header is out of place");
      if ((root.querySelector(".log")?.getBoundingClientRect().height ?? 0) < 59) faults.push("no room for the log");
      for (const area of root.querySelectorAll(".entry, .question, .banner, .plan, .composer, .header"))
        faults.push(...escapes(area));
      return faults;
    };
    /** Elements that extend beyond the sides of their area, or leave the flow. */
    const escapes = (area: Element): string[] => {
      const faults: string[] = [];
      const { left, right } = area.getBoundingClientRect();
      const walk = (element: Element): void => {
        for (const child of element.children) {
          const rect = child.getBoundingClientRect();
          const style = getComputedStyle(child);
          if (style.position === "fixed") faults.push(`fixed: ${child.outerHTML.slice(0, 80)}`);
          if (rect.width > 0 && (rect.left < left - 1.5 || rect.right > right + 1.5) && style.clipPath === "none") {
            faults.push(`beyond ${area.className}: ${child.outerHTML.slice(0, 120)}`);
          } else if (style.overflowX === "visible") walk(child);
        }
      };
      if (getComputedStyle(area).overflowX === "visible" || area.matches(".entry")) walk(area);
      return faults;
    };

    window.inspectPanel = async () => {
      const settled = (): Promise<void> => new Promise(resolve => setTimeout(resolve));
      for (const fold of root.querySelectorAll<HTMLElement>(
        "button[aria-expanded=false]:not([aria-haspopup]), details:not([open]) > summary",
      ))
        fold.click();
      await settled();
      for (const text of root.querySelectorAll("parley-markdown"))
        (text as HTMLElement & { complete(): void }).complete();
      const faults = new Set<string>();
      for (const element of root.querySelectorAll("*")) {
        if (!tags.includes(element.localName) && element.namespaceURI !== mathNamespace && !element.localName.startsWith("parley-")) faults.add(element.outerHTML.slice(0, 80)); // prettier-ignore
        for (const attribute of element.attributes) {
          const fault = attributeFault(element, attribute);
          if (fault !== undefined) faults.add(fault);
        }
      }
      for (const fault of layoutFaults()) faults.add(fault);
      const clicked = new Set<string>();
      for (const link of root.querySelectorAll<HTMLElement>("[role=link]")) {
        const target = link.dataset["href"] ?? link.dataset["path"] ?? "";
        if (clicked.has(target)) continue;
        clicked.add(target);
        link.click();
      }
      if (window.__hit !== undefined) faults.add(`it ran: ${String(window.__hit)}`);
      if ("polluted" in {}) faults.add("a prototype was changed");
      return [...faults];
    };
  });
}
