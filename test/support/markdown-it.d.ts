// The parts of markdown-it that the tests use. It has no types of its own.
declare module "markdown-it" {
  export interface Token {
    readonly type: string;
    readonly tag: string;
    readonly level: number;
    readonly content: string;
    readonly info: string;
    readonly attrs: readonly (readonly [string, string])[] | null;
    readonly children: readonly Token[] | null;
  }
  export interface BlockState {
    readonly src: string;
    readonly bMarks: readonly number[];
    readonly tShift: readonly number[];
    readonly eMarks: readonly number[];
    readonly sCount: readonly number[];
    readonly blkIndent: number;
    line: number;
    push(type: string, tag: string, nesting: number): { content: string };
  }
  export interface InlineState {
    readonly src: string;
    pos: number;
    push(type: string, tag: string, nesting: number): { content: string };
  }
  export default class MarkdownIt {
    constructor(options?: { readonly html?: boolean; readonly linkify?: boolean });
    readonly block: {
      readonly ruler: {
        after(
          name: string,
          own: string,
          rule: (state: BlockState, start: number, end: number, silent: boolean) => boolean,
          options: { readonly alt: readonly string[] },
        ): void;
      };
    };
    readonly inline: {
      readonly ruler: {
        after(name: string, own: string, rule: (state: InlineState, silent: boolean) => boolean): void;
      };
    };
    parse(text: string, env: object): readonly Token[];
    render(text: string): string;
  }
}
