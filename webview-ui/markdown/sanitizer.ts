// Sanitizes what the panel paints: HTML that is made from Markdown, and drawn formulas. One instance with one policy of
// Trusted Types, and a small list of allowed elements for each of the two.
import DOMPurify, { type Config } from "dompurify";

const common = {
  RETURN_DOM_FRAGMENT: true,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
} satisfies Config;

const htmlConfig: Config = {
  ...common,
  ALLOWED_TAGS:
    "p h4 h5 h6 ul ol li pre code blockquote table thead tbody tr th td strong em del br hr a span div".split(" "),
  ALLOWED_ATTR: ["class", "data-href", "data-info", "data-leading", "data-state", "start", "title"],
  // Links are checked by linkIntent, here and again when they are opened. The info string of a fence is shown as text.
  ADD_URI_SAFE_ATTR: ["data-href", "data-info", "data-leading", "title"],
};

const mathConfig: Config = {
  ...common,
  ALLOWED_TAGS: (
    "math menclose mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle " +
    "msub msubsup msup mtable mtd mtext mtr munder munderover none semantics"
  ).split(" "),
  // No colors, so that every formula has the color of its text, and no addresses.
  ALLOWED_ATTR: (
    "accent accentunder class columnalign columnspan depth display displaystyle fence form height largeop linethickness " +
    "lspace mathvariant maxsize minsize movablelimits notation rowspacing rspace scriptlevel separator stretchy style " +
    "symmetric voffset width"
  ).split(" "),
};

let current: Config | undefined;

/** A configuration that is passed with each call would be parsed again for each block. */
function configure(config: Config): void {
  if (current === config) return;
  DOMPurify.setConfig(config);
  current = config;
}

/** The allowed nodes of HTML. Raw HTML of an agent is escaped before. */
export function sanitizedHtml(html: string): DocumentFragment {
  configure(htmlConfig);
  return DOMPurify.sanitize(html, { RETURN_DOM_FRAGMENT: true });
}

/** Sizes and lines, which the theme cannot override. Names as in CSS. */
const allowedStyles = new Set(
  (
    "border border-top border-right border-bottom border-left display font-style font-weight height justify-content " +
    "margin-left math-depth padding padding-top padding-right padding-bottom padding-left text-align width"
  ).split(" "),
);
/** No functions, so no addresses. */
const plainValuePattern = /^[\w.% -]{1,60}$/;

/** A copy of MathML with only the allowed elements, attributes and styles. */
export function sanitizedMath(math: Element): DocumentFragment {
  configure(mathConfig);
  const holder = document.createElement("span");
  holder.append(math);
  const fragment = DOMPurify.sanitize(holder, { RETURN_DOM_FRAGMENT: true });
  for (const element of fragment.querySelectorAll<MathMLElement>("[style]")) {
    const kept = stylesOf(element).filter(([name, value]) => allowedStyles.has(name) && plainValuePattern.test(value));
    element.removeAttribute("style");
    // The content policy allows styles that a script sets, and no others.
    for (const [name, value] of kept) element.style.setProperty(name, value);
  }
  return fragment;
}

/** The declarations as they are written: a shorthand is one of them. */
function stylesOf(element: MathMLElement): readonly (readonly [name: string, value: string])[] {
  return (element.getAttribute("style") ?? "").split(";").flatMap(declaration => {
    const [name = "", value = ""] = declaration.split(":", 2).map(part => part.trim().toLowerCase());
    return name === "" || value === "" ? [] : [[name, value] as const];
  });
}
