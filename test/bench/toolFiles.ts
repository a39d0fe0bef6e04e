// What both sides of the benchmark of the editor's tools know.

/** The problems in the window. */
export const problemCount = 10_000;
export const problemFiles = 100;
/** The places where the symbol is used. */
export const placeCount = 5000;
export const placeFiles = 500;

/** The file in which the symbol is declared, and the symbol. */
export const symbolFile = "symbol.txt";
export const symbol = "symbol";

/** The name of a file of the workspace. */
export const toolFile = (index: number): string => `file${index}.txt`;

/** A line of each file. */
export const toolLine = `${symbol} is used in this line of a file that is as wide as many lines of code are\n`;
