// Which icons of others are drawn.
import assert from "node:assert/strict";
import { plainIcon } from "../../src/base/plainIcon.ts";

const shapes = '<g fill="currentColor"><path d="M0 0h1"/><circle r="1"/></g>';

describe("the icon of an agent", () => {
  it("has shapes and gradients, with or without a declaration and comments", () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><title>One</title>${shapes}<defs>
      <linearGradient id="a"><stop offset="0"/></linearGradient><clipPath id="c"><rect/></clipPath></defs></svg>`;
    assert.equal(plainIcon(svg), svg);
    assert.equal(plainIcon(`\ufeff<?xml version="1.0"?>\n<!-- Made by > a tool -->${svg}\n`), svg);
  });

  const slow: Readonly<Record<string, string>> = {
    "uses of uses": `<svg><g id="a">${shapes}</g><g id="b"><use href="#a"/><use href="#a"/></g></svg>`,
    "a use with a prefix": '<svg xmlns:s="http://www.w3.org/2000/svg"><s:use href="#a"/></svg>',
    "a filter": '<svg><filter id="f"><feGaussianBlur/></filter></svg>',
    "a filter without an element": '<svg><path style="filter:blur(900px)"/></svg>',
    "an escaped filter": '<svg><path style="&#102;ilter:blur(900px)"/></svg>',
    "a filter that CSS escapes": '<svg><path style="\\66ilter:blur(900px)"/></svg>',
    "a pattern": "<svg><pattern></pattern></svg>",
    "tiny dashes": '<svg><path stroke-dasharray="0.0001" d="M0 0h99999"/></svg>',
    "clips of clips": `<svg>${'<clipPath id="a"><path clip-path="url(#b)"/></clipPath>'.repeat(13)}</svg>`,
    "an animation": '<svg><path><animate attributeName="d"/></path></svg>',
    "a style sheet": "<svg><style>path{}</style></svg>",
    "an image": '<svg><image href="data:image/png;base64,"/></svg>',
    "a page": "<svg><foreignObject/></svg>",
    entities: '<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>',
    "a section of data": "<svg><![CDATA[<use/>]]></svg>",
    "a comment in a comment": "<svg><!-<!-- -->- <use/> --></svg>",
    "an instruction": '<svg><?xml-stylesheet href="a.css"?></svg>',
    "no svg": "<html></html>",
  };
  for (const [what, svg] of Object.entries(slow))
    it(`is not drawn if it has ${what}`, () => assert.equal(plainIcon(svg), undefined));
});
