// Judges the icons of a registry and of MCP servers. VS Code draws them as images, in which nothing runs or loads, but a
// small SVG can still take the window minutes to draw: uses of uses, filters, patterns of dashes.

/** Shapes, groups and colors. */
const elements = new Set(
  (
    "svg g path circle ellipse rect line polyline polygon title desc defs " +
    "linearGradient radialGradient stop clipPath"
  ).split(" "),
);

/** Clips can be clipped, so their number limits how often a shape is drawn. */
const maxClips = 12;

/**
 * The SVG text to show, without its comments. Undefined if it is no SVG, or has anything but plain shapes. Escaped
 * characters are refused, because they could spell a forbidden word.
 */
export function plainIcon(text: string): string | undefined {
  const svg = text
    .replace(/^\s*<\?xml\s[^<>]*\?>/, "")
    .replaceAll(/<!--[^]*?-->/g, "")
    .trim();
  if (!/^<svg[\s>]/.test(svg) || /[&\\]|filter|dasharray/i.test(svg)) return undefined;
  if ((svg.match(/clip-path/gi)?.length ?? 0) > maxClips) return undefined;
  const names = Array.from(svg.matchAll(/<\/?([^\s/>]*)/g), ([, name = ""]) => name);
  return names.every(name => elements.has(name)) ? svg : undefined;
}
