// Streaming Markdown. Settled blocks are never changed, only the tail is lexed and painted, and an open code fence only
// gets its text node extended. When the text has ended, the tail is lexed once more as the end of the text.
import type { Token } from "marked";
import { morph } from "./morph.ts";
import { finish, finishWhenVisible } from "./finish.ts";
import { isClosed, levelAfter, lex, paintBlock, sanitizedFragments, turnHeadingLevel, type Block } from "./render.ts";
import { cancelPaint, schedulePaint, type StreamPainter } from "../scheduling/paintScheduler.ts";
import {
  cancelPaintLater,
  estimatedHeight,
  paintLater,
  heightInSight,
  type LazyPainter,
} from "../scheduling/lazyPaint.ts";

/** How many blocks stay in the tail, because a later line can change the last block or join it with the one before. */
const tailBlocks = 2;

/** How many blocks are direct children of the element, so that a typical answer has no boxes. */
const unboxedBlocks = 40;
/**
 * How many of the other blocks are in one box. Boxes far from the visible part are neither highlighted nor laid out.
 */
const blocksPerBox = 8;
/** How many boxes at the end are together higher than most panels. */
const nearBoxes = 6;
/** While text streams in, this many boxes are marked as far together. */
const farBatch = 24;

/** A box that has not been painted yet. */
const waitingClass = "waiting";
/** A box that the browser can leave out of the layout. */
const farClass = "far";

/** A possible link definition, which changes blocks before it. */
const definitionPattern = /\]:/;

interface OpenFence {
  readonly text: Text;
  /** Matches a line that can close it. */
  readonly closing: RegExp;
  /** Where the unfinished last line begins. */
  lineStart: number;
  /** Where its code begins. */
  readonly codeStart: number;
}

/** `<parley-markdown>`: set `content`. While it is `live`, new text is painted as it arrives. */
export class MarkdownElement extends HTMLElement implements StreamPainter, LazyPainter {
  /** The text to paint, and the part of it that has been painted. */
  #targetText = "";
  #paintedText = "";
  #isLive = false;
  /** The blocks on the page. The first `#settled` of them do not change until the text ends. */
  #blocks: Block[] = [];
  /** The elements that contain the blocks after the first {@link unboxedBlocks}. */
  readonly #boxes: HTMLElement[] = [];
  /** How many boxes can be left out of the layout. */
  #farCount = 0;
  #settled = 0;
  #settledLength = 0;
  readonly #completionCallbacks: (() => void)[] = [];
  #fence: OpenFence | undefined;

  connectedCallback(): void {
    this.classList.add("markdown");
    for (const box of this.#boxes) if (box.classList.contains(waitingClass)) paintLater(this, box);
  }

  disconnectedCallback(): void {
    this.#resolveCompletion();
  }

  set content(next: { readonly text: string; readonly live: boolean }) {
    const text = normalized(next.text);
    if (text === this.#targetText && next.live === this.#isLive) return;
    // Ended text that grows again is painted from the start, because its blocks can join with the new text.
    const continues = this.#isLive && text.startsWith(this.#targetText);
    if (!text.startsWith(this.#targetText)) this.#reset();
    this.#targetText = text;
    this.#isLive = next.live;
    if (!next.live) {
      cancelPaint(this);
      this.#paintedText = text;
      this.#paintRest();
    } else {
      if (!continues) {
        // Keep the text that is on the page, however the rest arrives.
        const shown = text.startsWith(this.#paintedText) ? this.#paintedText : "";
        this.#reset();
        this.#paintedText = shown;
        if (shown !== "") this.#paintTail();
      }
      schedulePaint(this);
    }
  }

  /** Paints a portion of the new text in a frame. It ends at a line break if there is one. */
  paintPortion(characters: number): { readonly taken: number; readonly left: number } {
    if (!this.#isLive) return { taken: 0, left: 0 };
    const end = this.#endOf(characters);
    const taken = end - this.#paintedText.length;
    if (taken > 0) {
      this.#paintedText = this.#targetText.slice(0, end);
      if (!(this.#fence && this.#extend(this.#fence))) this.#paintTail();
    }
    return { taken, left: this.#targetText.length - end };
  }

  #endOf(characters: number): number {
    const { length } = this.#paintedText;
    if (this.#targetText.length - length <= characters) return this.#targetText.length;
    const line = this.#targetText.lastIndexOf("\n", length + characters) + 1;
    return line > length ? line : length + characters;
  }

  #reset(): void {
    this.#settled = 0;
    this.#settledLength = 0;
    this.#fence = undefined;
  }

  /** Paints the tail, or all of the text if it has link definitions, which can change any block. */
  #paintRest(): void {
    const from = definitionPattern.test(this.#paintedText) ? 0 : this.#settledLength;
    const start = from === 0 ? 0 : this.#settled;
    const { tokens, hasDefinitions } = lex(this.#paintedText.slice(from), false);
    this.#replace(start, tokens, hasDefinitions ? () => false : (block, raw) => isSame(block, raw) && isClosed(raw));
    this.#reset();
  }

  #paintTail(): void {
    const { tokens } = lex(independentCopy(this.#paintedText.slice(this.#settledLength)), true);
    this.#replace(this.#settled, tokens, isSame);
    this.#settle();
    this.#fence = this.#openFence();
  }

  /** Replaces the blocks from `start` by those of `tokens`. Blocks that `keep` accepts keep their nodes. */
  #replace(start: number, tokens: readonly Token[], keep: (block: Block, raw: string) => boolean): void {
    let level = this.#blocks[start - 1]?.level ?? turnHeadingLevel;
    const firstInSight = this.#firstBoxInSight(start, tokens);
    const isDeferrable = (i: number): boolean => boxAt(start + i) < firstInSight && this.#canDefer(boxAt(start + i));
    const deferred = tokens.map((_, i) => isDeferrable(i));
    const kept = tokens.map((token, i) => {
      const old = this.#blocks[start + i];
      return old && !old.deferredToken && keep(old, token.raw) ? old : undefined;
    });
    const changed = tokens.filter((_, i) => kept[i] === undefined && !deferred[i]);
    const fresh = new Map(sanitizedFragments(changed).map((fragment, i) => [changed[i], fragment]));
    for (const [i, token] of tokens.entries()) {
      const old = kept[i];
      const block =
        deferred[i] === true
          ? this.#defer(start + i, token, level)
          : old && keepsHeadingLevels(old, level)
            ? old
            : this.#setBlock(start + i, paintedBlock(token, level, fresh.get(token)));
      level = block.level;
    }
    for (const block of this.#blocks.splice(start + tokens.length)) block.node?.remove();
    for (const box of this.#boxes.splice(boxAt(this.#blocks.length - 1) + 1)) {
      cancelPaintLater(box);
      box.remove();
    }
    if (!this.#isWaiting) this.#resolveCompletion();
    for (let b = Math.max(0, boxAt(start)); b < this.#boxes.length; b++) this.#updateWaiting(b);
    this.#markFar(this.#isLive ? farBatch : 1);
    for (let i = start; i < this.#blocks.length; i++) {
      const box = this.#isFar(boxAt(i)) ? this.#boxes[boxAt(i)] : undefined;
      if (box) finishWhenVisible(box);
      else finish(this.#blocks[i]?.node);
    }
  }

  #isFar(box: number): boolean {
    return box < this.#boxes.length - nearBoxes;
  }

  /**
   * Lets far boxes be left out of the layout if there are at least `minimum` new ones. Such a box has style
   * containment, and a frame with a new one takes three times as long to style. Unpainted boxes are marked when they
   * are painted.
   */
  #markFar(minimum: number): void {
    const near = Math.max(0, this.#boxes.length - nearBoxes);
    for (const box of this.#boxes.slice(near)) box.classList.remove(farClass);
    this.#farCount = Math.min(this.#farCount, near);
    const fresh = this.#boxes.slice(this.#farCount, near).filter(box => !box.classList.contains(waitingClass));
    if (fresh.length < minimum) return;
    for (const box of fresh) box.classList.add(farClass);
    this.#farCount = near;
  }

  /** The first box that can be visible at the end. No box before it contains blocks that can still change. */
  #firstBoxInSight(start: number, tokens: readonly Token[]): number {
    let height = 0;
    let open = 0;
    let i = tokens.length;
    for (; i > 0 && (height < heightInSight() || open <= tailBlocks); i--) {
      const raw = tokens[i - 1]?.raw ?? "";
      height += estimatedHeight(raw);
      if (raw.trim() !== "") open++;
    }
    return boxAt(start + i);
  }

  /** Whether nothing in that box is painted. */
  #canDefer(box: number): boolean {
    const element = this.#boxes[box];
    return box >= 0 && (element === undefined || element.classList.contains(waitingClass));
  }

  #defer(at: number, token: Token, level: number): Block {
    this.#containerOf(at).classList.add(waitingClass);
    return (this.#blocks[at] = {
      raw: token.raw,
      node: null,
      level: levelAfter(token, level),
      isOpen: false,
      deferredToken: token,
    });
  }

  #updateWaiting(box: number): void {
    const element = this.#boxes[box];
    if (!element?.classList.contains(waitingClass)) return;
    if (this.#blocksOf(box).some(block => block.deferredToken)) return paintLater(this, element);
    cancelPaintLater(element);
    element.classList.remove(waitingClass);
    if (!this.#isWaiting) this.#resolveCompletion();
  }

  #blocksOf(box: number): readonly Block[] {
    return this.#blocks.slice(unboxedBlocks + box * blocksPerBox, unboxedBlocks + (box + 1) * blocksPerBox);
  }

  /** Paints the unpainted box nearest to the end. */
  paintPart(): boolean {
    const box = this.#boxes.findLastIndex(each => each.classList.contains(waitingClass));
    if (box < 0 || !this.isConnected) return false;
    this.#paintBox(box);
    return true;
  }

  paintAt(place: Element): void {
    const box = this.#boxes.indexOf(place as HTMLElement);
    if (box >= 0) this.#paintBox(box);
  }

  /** Paints all unpainted boxes. */
  complete(): void {
    while (this.paintPart());
  }

  /** Resolves when everything is painted, or the element has been removed from the page. */
  async whenComplete(): Promise<void> {
    if (this.isConnected && this.#isWaiting)
      await new Promise<void>(resolve => this.#completionCallbacks.push(resolve));
  }

  get #isWaiting(): boolean {
    return this.#boxes.some(box => box.classList.contains(waitingClass));
  }

  #resolveCompletion(): void {
    for (const resolve of this.#completionCallbacks.splice(0)) resolve();
  }

  #paintBox(box: number): void {
    const element = this.#boxes[box];
    if (!element?.classList.contains(waitingClass)) return;
    const first = unboxedBlocks + box * blocksPerBox;
    const waiting = this.#blocksOf(box).flatMap(({ deferredToken: deferredToken }, i) =>
      deferredToken ? [{ token: deferredToken, at: first + i }] : [],
    );
    const fragments = sanitizedFragments(waiting.map(({ token }) => token));
    for (const [i, { token, at }] of waiting.entries()) {
      const level = this.#blocks[at - 1]?.level ?? turnHeadingLevel;
      this.#setBlock(at, paintedBlock(token, level, fragments[i]));
    }
    this.#updateWaiting(box);
    element.classList.toggle(farClass, this.#isFar(box));
    if (this.#isFar(box)) finishWhenVisible(element);
    else finish(element);
  }

  /** The parent of the block at that index. */
  #containerOf(at: number): HTMLElement {
    const wanted = boxAt(at);
    while (this.#boxes.length <= wanted) {
      const box = document.createElement("div");
      box.className = "blocks";
      this.#boxes.push(box);
      this.append(box);
    }
    return this.#boxes[wanted] ?? this;
  }

  #setBlock(at: number, block: Block): Block {
    const old = this.#blocks[at]?.node ?? null;
    let node = block.node;
    if (old && node) node = morph(old, node);
    else if (old) old.remove();
    else if (node) this.#containerOf(at).insertBefore(node, this.#nodeAfter(at));
    const placed = { ...block, node };
    this.#blocks[at] = placed;
    return placed;
  }

  /** The node before which the block at that index belongs in its box. */
  #nodeAfter(at: number): HTMLElement | null {
    const end = Math.min(this.#blocks.length, unboxedBlocks + (boxAt(at) + 1) * blocksPerBox);
    for (let i = at + 1; i < end; i++) {
      const node = this.#blocks[i]?.node;
      if (node) return node;
    }
    return at < unboxedBlocks ? (this.#boxes[0] ?? null) : null;
  }

  #settle(): void {
    let open = 0;
    let first = this.#blocks.length;
    while (first > this.#settled && open < tailBlocks) {
      first--;
      if (this.#blocks[first]?.raw.trim() !== "") open++;
    }
    for (; this.#settled < first; this.#settled++) this.#settledLength += this.#blocks[this.#settled]?.raw.length ?? 0;
  }

  /** The open fence at the end of the text, if it is not indented and its first line is complete. */
  #openFence(): OpenFence | undefined {
    const last = this.#blocks.at(-1);
    const match = last && /^(`{3,}(?!`)|~{3,}(?!~))[^\n]*\n/.exec(last.raw);
    const marker = match?.[1];
    const text = last?.node?.querySelector("pre code")?.firstChild;
    if (!last || !marker || isClosed(last.raw) || !(text instanceof Text)) return undefined;
    const start = this.#paintedText.length - last.raw.length;
    return {
      text,
      closing: new RegExp(`^ {0,3}${marker[0]}{${marker.length},}`, "m"),
      lineStart: this.#paintedText.lastIndexOf("\n") + 1,
      codeStart: start + match[0].length,
    };
  }

  /** Appends to the open fence. Returns false if the new lines can close it: then the tail must be lexed. */
  #extend(fence: OpenFence): boolean {
    const fresh = this.#paintedText.slice(fence.lineStart);
    if (fence.closing.test(fresh)) return false;
    // The line break before a closing fence is not part of the code.
    const end = this.#paintedText.endsWith("\n") ? this.#paintedText.length - 1 : this.#paintedText.length;
    fence.text.appendData(this.#paintedText.slice(fence.codeStart + fence.text.length, end));
    fence.lineStart = this.#paintedText.lastIndexOf("\n") + 1;
    return true;
  }
}

/** Whether the block shows that source, whatever follows it. */
const isSame = (block: Block, raw: string): boolean => block.raw === raw && !block.isOpen;

/** The index of the box with the block at that index; negative if the block is in no box. */
const boxAt = (block: number): number => Math.max(-1, Math.floor((block - unboxedBlocks) / blocksPerBox));

/** A copy that shares no memory: a slice keeps its whole text alive, and each frame has a new text. */
const independentCopy = (text: string): string => JSON.parse(JSON.stringify(text)) as string;

function paintedBlock(token: Token, level: number, fragment = sanitizedFragments([token])[0]): Block {
  return paintBlock(token, level, fragment ?? document.createDocumentFragment());
}

/** Whether the block's headings, if any, would get the same levels after a heading of `level`. */
function keepsHeadingLevels(block: Block, level: number): boolean {
  const first = block.node?.matches("h4, h5, h6") ? block.node : block.node?.querySelector("h4, h5, h6");
  return !first || Number(first.ariaLevel) === Math.min(level + 1, Number(first.localName[1]));
}

/** Normalizes the text as the lexer and the HTML parser do, so that the lengths agree. */
function normalized(text: string): string {
  return /[\r\0]/.test(text) ? text.replace(/\r\n?/g, "\n").replaceAll("\0", "\uFFFD") : text;
}
