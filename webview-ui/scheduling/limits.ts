// The numbers that tune how the panel paints. They depend on each other, so all of them are here. The tables of the
// panel in docs/BENCHMARKS.md show their effect: (a) long answers, (b) typing, (c) opening, and (e) many tool calls.

/**
 * Streamed text, in characters per frame: the amount that any page can paint at once, and the most that any page should.
 * A smaller minimum saves little, because only the visible part of text that arrives together is painted.
 */
export const minPortion = 6000;
export const maxPortion = 16_000;
/** The portion while the user is typing. A frame with less text does not show how much it could have painted. Characters. */
export const typingPortion = 1500;
/**
 * A longer frame, painting included, reduces the portion; a shorter one increases it. Both are below 50 ms, the limit of
 * a task in (a), (b) and (e). Milliseconds.
 */
export const longFrame = 38;
export const shortFrame = 28;
/** The shortest time between two frames. Milliseconds. */
export const frameInterval = 16;

/** The user counts as typing for this long after a key press. Milliseconds. */
export const typingTime = 300;
/**
 * While the user types, text is held back for at least and at most this long: less than `typingTime`, so that text which
 * waits for the next key does not wait for a user who has stopped typing. Milliseconds.
 */
export const minHoldTime = 100;
export const maxHoldTime = 150;
/**
 * The page is no longer busy when neither text nor a key press has arrived for this long: as long as text can be held
 * back. Milliseconds.
 */
export const quietTime = 150;

/** How long one slice of deferred painting takes: a part of a frame. Milliseconds. */
export const sliceTime = 4;
/** While the page is busy, the next slice is tried after this time. Milliseconds. */
export const busyDelay = 100;
/** How much above the end is painted immediately, in window heights. */
export const nearFactor = 1.1;
/** The height to assume at least, because a hidden page has none. Pixels. */
export const minWindowHeight = 600;
/**
 * To estimate the height of text, in pixels: the width of a character, the height of a line, the gap between blocks and
 * beside them. Rather too small, so that nothing visible is left for later.
 */
export const characterWidth = 6.3;
export const lineHeight = 19;
export const blockGap = 6;
export const horizontalPadding = 30;

/** How many lines are painted when a conversation is opened. The button for earlier entries shows as many more. */
export const maxInitialLines = 200;
export const earlierLinesPerStep = 200;
/** How many characters of messages are painted then. The last line is painted whatever its length. */
export const maxInitialCharacters = 400_000;
/** The painted part can grow to this multiple before its beginning is removed from the page. */
export const growthFactor = 1.5;
/** The first frame of a conversation has about the visible part: a screen of the lowest lines, with this many characters. */
export const firstFrameCharacters = 1200;
/** The lowest line, in pixels. A window shows at most its height divided by it. */
export const minLineHeight = 30;
/** How much is painted per frame until all lines are painted. A message costs more than a folded card. */
export const costPerFrame = 24;
export const messageCost = 2;
/**
 * Of lines that flood in, this many screens are painted, one at once and two when the flood pauses for this long
 * (milliseconds). The others would leave the page before anybody sees them.
 */
export const screensOfFlood = 3;
export const floodPause = 60;
